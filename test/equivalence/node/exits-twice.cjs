process.on('exit', () => process.exit(6));
process.exit(5);
