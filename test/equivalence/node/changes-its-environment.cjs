const { execSync } = require('node:child_process');
process.env.OWN = 'own';
delete process.env.HOME;
console.log(execSync('echo $OWN $HOME. $HOB_RUN_ID').toString(), delete process.env.HOB_RUN_ID);
console.log(execSync('echo $HOB_RUN_ID.').toString(), process.env.HOB_RUN_ID);
