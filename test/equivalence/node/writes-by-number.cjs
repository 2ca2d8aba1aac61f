const { writeSync } = require('node:fs');
for (let number = 0; number < 20; number++) {
  writeSync(1, `sync ${number}\n`);
  console.log('console', number);
  writeSync(2, `sync ${number}\n`);
  console.error('console', number);
}
