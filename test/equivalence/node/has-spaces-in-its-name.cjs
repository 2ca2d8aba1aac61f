console.log(__filename, process.argv[1]);
throw new Error('in a file with an odd name');
