console.log(process.argv, process.argv0, process.execArgv, process.execPath, process.mainModule, typeof require);
