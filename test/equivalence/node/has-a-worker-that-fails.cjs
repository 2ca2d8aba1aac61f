const { Worker, isMainThread } = require('node:worker_threads');
if (isMainThread) {
  const worker = new Worker(__filename);
  worker.on('error', (error) => console.log('error', error.message));
  worker.on('exit', (code) => console.log('exit', code));
} else {
  console.log(require.main === module, module.id);
  throw new Error('in a worker');
}
