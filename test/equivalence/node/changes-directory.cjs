const { mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('below');
process.chdir('below');
writeFileSync('here.txt', '');
console.log(process.cwd(), __filename, require.resolve('./main.cjs'));
