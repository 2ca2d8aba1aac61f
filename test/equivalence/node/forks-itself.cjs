const { fork } = require('node:child_process');
if (process.send === undefined) {
  console.log('parent', process.connected, process.channel);
  const child = fork(__filename, ['a b']);
  child.on('message', (message) => {
    console.log('from the child', message);
    child.send('end');
  });
  child.on('exit', (code) => console.log('child exit', code));
} else {
  process.on('message', () => process.exit(7));
  process.send([process.argv.slice(2), process.execArgv, require.main === module, process.env.HOB_RUN_ID]);
}
