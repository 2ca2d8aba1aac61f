import { parentPort } from 'node:worker_threads';

import { ContentHash, type FromHashThread, type ToHashThread } from './content-hash.ts';

/** Entry file of the hashing thread. */
const hashes = new Map<number, ContentHash>();

parentPort?.on('message', (message: ToHashThread) => {
  parentPort?.postMessage(answer(message));
});

function answer(message: ToHashThread): FromHashThread {
  const { id } = message;
  if (message.type === 'begin') {
    hashes.set(id, new ContentHash(message.content, message.sizeBytes));
    return null;
  }
  const hash = hashes.get(id);
  if (hash === undefined) throw new RangeError(`unknown hash ${id}`);
  if (message.type === 'update') {
    hash.update(message.bytes);
    return null;
  }
  hashes.delete(id);
  return hash.isRight();
}
