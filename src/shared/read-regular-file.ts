import { constants } from 'node:fs';
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
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (ownOnly ? constants.O_NOFOLLOW : 0);
    handle = await open(path, flags);
  } catch (error) {
    return openFailure(errnoOf(error) ?? 'unknown');
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) return { kind: 'not-regular', what: 'folder' };
    if (!stats.isFile()) return { kind: 'not-regular', what: 'special file' };
    if (ownOnly && stats.nlink !== 1) return { kind: 'linked' };
    if (ownOnly && process.getuid !== undefined && stats.uid !== process.getuid()) return { kind: 'foreign' };
    if (stats.size > maxBytes) return { kind: 'too-large', sizeBytes: stats.size };
    return await readAtMost(handle, stats.size, maxBytes);
  } catch (error) {
    return { kind: 'unreadable', errno: errnoOf(error) ?? 'unknown' };
  } finally {
    await handle.close();
  }
}

function openFailure(errno: string): ReadFailure {
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return { kind: 'missing' };
  if (errno === 'ELOOP') return { kind: 'not-regular', what: 'link' };
  // A socket, or a device without a driver.
  if (errno === 'ENXIO' || errno === 'ENODEV') return { kind: 'not-regular', what: 'special file' };
  return { kind: 'unreadable', errno };
}

async function readAtMost(handle: FileHandle, sizeBytes: number, maxBytes: number): Promise<ReadResult> {
  // One byte more than promised, to see whether the file grew while we looked.
  let buffer = Buffer.allocUnsafe(Math.min(sizeBytes, maxBytes) + 1);
  for (let filled = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) return { kind: 'content', bytes: buffer.subarray(0, filled) };
    filled += bytesRead;
    if (filled > maxBytes) return { kind: 'too-large', sizeBytes: filled };
    if (filled === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * filled + 4096, maxBytes + 1));
  }
}
