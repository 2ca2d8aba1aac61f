console.log(__filename, process.argv[1], require.main === module, module.paths[0], require('./beside.cjs'));
