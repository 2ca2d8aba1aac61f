import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

import { contentHash, type HashTask, partBytes } from './hashing.ts';

/** Entry file of the hashing thread. It receives offsets up to which the file is written, and answers once, at the end of the file. */
const { fd, content, sizeBytes }: HashTask = workerData;
const hash = contentHash(content, sizeBytes);
const part = Buffer.allocUnsafe(partBytes);
let at = 0;

parentPort?.on('message', (offset: number) => {
  while (at < offset) {
    const bytes = readSync(fd, part, 0, Math.min(part.length, offset - at), at);
    // Another program has cut the file.
    if (bytes === 0) return parentPort?.postMessage(false);
    hash.update(part.subarray(0, bytes));
    at += bytes;
  }
  if (at === sizeBytes) parentPort?.postMessage(hash.digest('hex') === content.hex);
});
