import type { FileHandle } from 'node:fs/promises';

import type { Batches } from '../batches.ts';
import type { RunningHash } from './running-hash.ts';

interface HashFileOptions {
  readonly hash: RunningHash;
  readonly batches: Batches;
  readonly signal: AbortSignal;
}

/** Hashes the first `sizeBytes` bytes of a file. Returns the number of bytes read, which is less if the file is shorter. */
export async function hashFile(
  handle: FileHandle,
  sizeBytes: number,
  { hash, batches, signal }: HashFileOptions,
): Promise<number> {
  const batch = batches.take();
  let at = 0;
  try {
    while (at < sizeBytes) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(batch, 0, Math.min(batch.length, sizeBytes - at), at);
      if (bytesRead === 0) break;
      await hash.update(batch.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    batches.giveBack(batch);
  }
  return at;
}
