const { readFileSync } = require('node:fs');
const block = readFileSync('/proc/self/environ', 'utf8').split('\0').filter(Boolean);
console.log(block.sort().join('\n'));
const { run_id } = JSON.parse(readFileSync(process.argv[2], 'utf8')).environment;
console.log(block.includes(`HOB_RUN_ID=${run_id}`), process.env.HOB_RUN_ID === run_id);
