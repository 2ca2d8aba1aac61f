process.on('exit', () => console.log('at the exit', 'x'.repeat(200_000).length));
process.on('exit', () => process.stdout.write('z'.repeat(200_000)));
