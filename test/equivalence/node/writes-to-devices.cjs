const { execSync } = require('node:child_process');
const { appendFileSync, writeFileSync } = require('node:fs');
execSync('echo x > /dev/stderr; echo y > /dev/stdout; echo z >> /dev/stderr', { stdio: 'inherit' });
writeFileSync('/dev/stdout', 'by name\n');
appendFileSync('/dev/stderr', 'by name\n');
console.log('last');
