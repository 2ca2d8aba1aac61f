const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');

const commandLine = () => readFileSync(`/proc/${process.pid}/cmdline`, 'utf8').replace(/\0+$/, '');
const started = commandLine();
console.log(started.split('\0'), process.title);
process.title = '短 title';
console.log([process.title, commandLine()]);
// A title is cut off where the command line ends.
process.title = 'x'.repeat(20_000);
console.log(process.title.length - Buffer.byteLength(started), commandLine() === process.title);
console.log(execFileSync(process.execPath, ['-p', '[process.title === process.argv0, process.execArgv]']).toString());
