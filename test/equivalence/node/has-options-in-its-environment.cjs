console.log(process.env.NODE_NO_WARNINGS, process.execArgv);
process.emitWarning('not to be seen');
