process.on('exit', (code) => console.log('exit', code, process.exitCode));
process.on('beforeExit', (code) => console.log('before', code));
await new Promise(() => {});
console.log('never printed');
