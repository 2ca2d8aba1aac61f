import { createInterface } from 'node:readline/promises';
const lines = createInterface({ input: process.stdin, output: process.stdout });
lines.on('close', () => console.log('closed'));
for await (const line of lines) console.log(line);
console.log('no more');
