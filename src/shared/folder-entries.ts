import { type Dir, type Dirent, lstatSync, opendirSync } from 'node:fs';
import { setImmediate as otherWork } from 'node:timers/promises';

/** Limits concurrent file operations, to leave capacity for other work. */
const batchEntries = 32;

/**
 * Yields the entries of a folder, a few at a time. A link yields none: it is not followed, unless it replaces the
 * folder between the check and the opening. Rejects once the signal is aborted.
 */
export async function* folderEntries(path: string, signal?: AbortSignal): AsyncGenerator<Dirent[]> {
  signal?.throwIfAborted();
  if (!lstatSync(path).isDirectory()) return;
  const folder = opendirSync(path, { bufferSize: batchEntries });
  try {
    for (;;) {
      const batch = readBatch(folder);
      if (batch.length > 0) yield batch;
      if (batch.length < batchEntries) return;
      await otherWork(undefined, { signal });
    }
  } finally {
    folder.closeSync();
  }
}

/** Synchronous: a batch of entries takes less time than one request to a thread. */
function readBatch(folder: Dir): Dirent[] {
  const batch: Dirent[] = [];
  while (batch.length < batchEntries) {
    const entry = folder.readSync();
    if (entry === null) break;
    batch.push(entry);
  }
  return batch;
}
