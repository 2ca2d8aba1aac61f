const { spawn } = require('node:child_process');
spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref();
console.log('main is done');
