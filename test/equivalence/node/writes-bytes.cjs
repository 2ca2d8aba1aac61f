process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, index) => index)));
process.stderr.write('déjà\n', 'latin1');
console.log('🙈 你好 \ud800');
