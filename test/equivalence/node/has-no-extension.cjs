console.log(__filename, require.main === module);
