console.log(process.argv, process.argv0, process.execArgv, process.execPath);
console.log(process.cwd(), process.title === process.argv0, process.env.NODE_OPTIONS, process.debugPort);
