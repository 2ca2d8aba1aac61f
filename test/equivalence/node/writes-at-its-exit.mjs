process.on('exit', () => console.log('at the exit', 'x'.repeat(20_000).length));
process.on('exit', () => process.stdout.write('z'.repeat(20_000)));
