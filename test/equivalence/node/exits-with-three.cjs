process.on('exit', (code) => console.log('exit', code));
process.exit(3);
