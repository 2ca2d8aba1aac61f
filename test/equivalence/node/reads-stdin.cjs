console.log(JSON.stringify(require('node:fs').readFileSync(0, 'utf8')), process.stdin.isTTY);
process.stdin.on('data', (data) => console.log('data', data));
process.stdin.on('end', () => console.log('end'));
