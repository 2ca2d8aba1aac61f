const { Worker, isMainThread } = require('node:worker_threads');
if (isMainThread) {
  const worker = new Worker(__filename);
  worker.on('error', (error) => console.log('error', error.message));
  worker.on('exit', (code) => console.log('exit', code));
} else {
  throw new Error(`in a worker, ${require.main === module} ${module.id}`);
}
