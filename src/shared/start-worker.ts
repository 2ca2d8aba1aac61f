import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** What is new on the heap is cleared away more often, and so takes a megabyte or two, not many. */
const smallHeap = '--semi-space-growth-factor=1';

/** Starts a thread. When one comes up, Node sets back what was set for the heaps of all of them. */
export function startWorker(entry: URL, options: WorkerOptions): Worker {
  const worker = new Worker(entry, options);
  worker.once('online', () => setFlagsFromString(smallHeap));
  return worker;
}
