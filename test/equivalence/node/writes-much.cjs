const { createHash } = require('node:crypto');
const digest = createHash('sha256');
for (let number = 0; number < 100; number++) {
  const piece = `${String(number).padStart(9, '0')} `.repeat(10_000);
  process.stdout.write(piece);
  digest.update(piece);
}
process.stderr.write(digest.digest('hex'));
