// Writes a log as the executor does, while the test reads it, and reports what was kept.
import { parentPort, workerData } from 'node:worker_threads';

import { register } from 'tsx/esm/api';

register();
const { Capture } = await import('../../src/executor/capture.ts');
const { log, limit, chunk, chunks } = workerData;
const capture = new Capture(log, limit);
for (let index = 0; index < chunks; index++) {
  // Every eight bytes contain their own offset, so that no two chunks are equal.
  const bytes = Buffer.alloc(chunk);
  for (let at = 0; at < chunk; at += 8) bytes.writeDoubleLE(index * chunk + at, at);
  capture.take(bytes);
}
parentPort.postMessage(await capture.settle());
