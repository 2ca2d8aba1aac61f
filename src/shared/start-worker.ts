import { Worker, type WorkerOptions } from 'node:worker_threads';

import { keepNewSpace } from './new-space.ts';

/** Starts a thread. */
export function startWorker(entry: URL, options: WorkerOptions): Worker {
  const worker = new Worker(entry, options);
  worker.once('online', keepNewSpace);
  return worker;
}
