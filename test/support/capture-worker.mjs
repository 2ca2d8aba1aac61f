// Writes a log as the executor does, at the same time as somebody reads it, and tells what was kept.
import { parentPort, workerData } from 'node:worker_threads';

import { register } from 'tsx/esm/api';

register();
const { Capture } = await import('../../src/executor/capture.ts');
const { log, limit, chunk, chunks } = workerData;
const capture = new Capture(log, limit);
for (let index = 0; index < chunks; index++) {
  // Each is told from all others by its number, in every eight bytes of it.
  const bytes = Buffer.alloc(chunk);
  for (let at = 0; at < chunk; at += 8) bytes.writeDoubleLE(index * chunk + at, at);
  capture.take(bytes);
}
parentPort.postMessage(await capture.settle());
