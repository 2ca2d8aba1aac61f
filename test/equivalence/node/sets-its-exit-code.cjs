process.exitCode = 4;
process.on('beforeExit', (code) => console.log('before', code));
process.on('exit', (code) => console.log('exit', code));
