console.log(import.meta.url, import.meta.filename, process.argv[1]);
throw new Error('in a file with an odd name');
