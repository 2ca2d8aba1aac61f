import { isMainThread, parentPort, threadId, Worker, workerData } from 'node:worker_threads';
if (isMainThread) {
  console.log(threadId);
  const worker = new Worker(new URL(import.meta.url), { workerData: 20, argv: ['a'], stdout: false });
  worker.on('message', (message) => console.log(message));
  worker.on('exit', (code) => console.log('worker exit', code));
} else {
  parentPort.postMessage([workerData + 1, process.argv.slice(3), process.execArgv, import.meta.url, process.env.HOB_RUN_ID]);
  process.exitCode = 2;
}
