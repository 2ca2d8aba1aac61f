import { type Dirent, lstatSync } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Limits concurrent file operations, to leave capacity for other work. */
const batchEntries = 32;

/**
 * Yields the entries of a folder, a few at a time. A link yields none: it is not followed, unless it replaces the
 * folder between the check and the opening. Rejects once the signal is aborted.
 */
export async function* folderEntries(path: string, signal?: AbortSignal): AsyncGenerator<Dirent[]> {
  signal?.throwIfAborted();
  if (!lstatSync(path).isDirectory()) return;
  let batch: Dirent[] = [];
  for await (const entry of await opendir(path, { bufferSize: batchEntries })) {
    batch.push(entry);
    if (batch.length < batchEntries) continue;
    yield batch;
    signal?.throwIfAborted();
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
