import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';

/** So many file operations at once leave room for those of others. */
const batchEntries = 32;

/**
 * The entries of a folder, a few at a time. A link has none: it is not followed, unless it takes the place of the folder in the
 * moment between looking and opening. Rejects once the signal is aborted.
 */
export async function* folderEntries(path: string, signal?: AbortSignal): AsyncGenerator<Dirent[]> {
  signal?.throwIfAborted();
  if (!(await lstat(path)).isDirectory()) return;
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
