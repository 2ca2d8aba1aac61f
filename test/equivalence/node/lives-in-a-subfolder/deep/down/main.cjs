console.log(__dirname, process.cwd(), require('./beside.cjs'));
