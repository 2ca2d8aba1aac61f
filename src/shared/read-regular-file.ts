import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

import { errnoOf } from './errors.ts';

export type ReadResult = { kind: 'content'; bytes: Buffer } | ReadFailure;

export type ReadFailure =
  | { kind: 'missing' }
  | { kind: 'not-regular'; what: 'folder' | 'link' | 'special file' }
  | { kind: 'too-large'; sizeBytes: number }
  | { kind: 'linked' }
  | { kind: 'foreign' }
  | { kind: 'unreadable'; errno: string };

interface ReadOptions {
  maxBytes: number;
  /** Refuse a symbolic link in the last place, a second hard link and another owner: for files a script could have planted. */
  ownOnly?: boolean;
}

/**
 * Reads a file that somebody else wrote. Opening with O_NONBLOCK keeps a FIFO from hanging us, and what was opened is
 * what is examined, so that nothing can be swapped in between. At most `maxBytes` are ever held, even of a growing file.
 */
export async function readRegularFile(
  path: string,
  { maxBytes, ownOnly = false }: ReadOptions,
): Promise<ReadResult> {
  let handle: FileHandle;
  try {
    handle = await open(path, flagsFor(ownOnly));
  } catch (error) {
    return openFailure(errnoOf(error) ?? 'unknown');
  }
  try {
    const stats = await handle.stat();
    const failure = examine(stats, { maxBytes, ownOnly });
    if (failure !== null) return failure;
    const filling = new Filling(stats.size, maxBytes);
    while (filling.result === null) {
      const { buffer, filled } = filling;
      filling.add((await handle.read(buffer, filled, buffer.length - filled, filled)).bytesRead);
    }
    return filling.result;
  } catch (error) {
    return { kind: 'unreadable', errno: errnoOf(error) ?? 'unknown' };
  } finally {
    await handle.close();
  }
}

/**
 * The same at once, with `ownOnly`, for a small file on a disk of this machine, which is read sooner than a thread is asked to
 * read it.
 */
export function readOwnFile(path: string, maxBytes: number): ReadResult {
  let handle: number;
  try {
    // An error that is thrown takes several times as long as this look.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { kind: 'missing' };
    handle = openSync(path, flagsFor(true));
  } catch (error) {
    return openFailure(errnoOf(error) ?? 'unknown');
  }
  try {
    const stats = fstatSync(handle);
    const failure = examine(stats, { maxBytes, ownOnly: true });
    if (failure !== null) return failure;
    const filling = new Filling(stats.size, maxBytes);
    while (filling.result === null) {
      const { buffer, filled } = filling;
      filling.add(readSync(handle, buffer, filled, buffer.length - filled, filled));
    }
    return filling.result;
  } catch (error) {
    return { kind: 'unreadable', errno: errnoOf(error) ?? 'unknown' };
  } finally {
    closeSync(handle);
  }
}

function flagsFor(ownOnly: boolean): number {
  return constants.O_RDONLY | constants.O_NONBLOCK | (ownOnly ? constants.O_NOFOLLOW : 0);
}

function openFailure(errno: string): ReadFailure {
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return { kind: 'missing' };
  if (errno === 'ELOOP') return { kind: 'not-regular', what: 'link' };
  // A socket, or a device without a driver.
  if (errno === 'ENXIO' || errno === 'ENODEV') return { kind: 'not-regular', what: 'special file' };
  return { kind: 'unreadable', errno };
}

function examine(stats: Stats, { maxBytes, ownOnly }: Required<ReadOptions>): ReadFailure | null {
  if (stats.isDirectory()) return { kind: 'not-regular', what: 'folder' };
  if (!stats.isFile()) return { kind: 'not-regular', what: 'special file' };
  if (ownOnly && stats.nlink !== 1) return { kind: 'linked' };
  if (ownOnly && process.getuid !== undefined && stats.uid !== process.getuid()) return { kind: 'foreign' };
  return stats.size > maxBytes ? { kind: 'too-large', sizeBytes: stats.size } : null;
}

/** What was read so far of a file that may not be as long as it said. */
class Filling {
  buffer: Buffer;
  filled = 0;
  /** Null while there is more to read. */
  result: ReadResult | null = null;
  readonly #maxBytes: number;

  constructor(sizeBytes: number, maxBytes: number) {
    // One byte more than promised, to see whether the file grew while we looked.
    this.buffer = Buffer.allocUnsafe(sizeBytes + 1);
    this.#maxBytes = maxBytes;
  }

  /** So many bytes more are in the buffer; none means that there are no more. */
  add(bytesRead: number): void {
    this.filled += bytesRead;
    const { buffer, filled } = this;
    if (bytesRead === 0) this.result = { kind: 'content', bytes: buffer.subarray(0, filled) };
    else if (filled > this.#maxBytes) this.result = { kind: 'too-large', sizeBytes: filled };
    else if (filled === buffer.length)
      this.buffer = Buffer.concat([buffer], Math.min(2 * filled + 4096, this.#maxBytes + 1));
  }
}
