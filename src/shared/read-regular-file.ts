import { constants, type Stats } from 'node:fs';
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
  /** Refuse a symbolic link as the last component, a second hard link and another owner. For files that a script may have planted. */
  ownOnly?: boolean;
}

/**
 * Reads a file that another program wrote. O_NONBLOCK prevents a FIFO from blocking the call. The checks use the open file, so that no
 * other file can take its place in between. It never holds more than `maxBytes`, even if the file grows.
 */
export async function readRegularFile(
  path: string,
  { maxBytes, ownOnly = false }: ReadOptions,
): Promise<ReadResult> {
  let handle: FileHandle;
  try {
    handle = await open(
      path,
      constants.O_RDONLY | constants.O_NONBLOCK | (ownOnly ? constants.O_NOFOLLOW : 0),
    );
  } catch (error) {
    return openFailure(errnoOf(error) ?? 'unknown');
  }
  try {
    const stats = await handle.stat();
    return examine(stats, { maxBytes, ownOnly }) ?? (await readAll(handle, stats.size, maxBytes));
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

function examine(stats: Stats, { maxBytes, ownOnly }: Required<ReadOptions>): ReadFailure | null {
  if (stats.isDirectory()) return { kind: 'not-regular', what: 'folder' };
  if (!stats.isFile()) return { kind: 'not-regular', what: 'special file' };
  if (ownOnly && stats.nlink !== 1) return { kind: 'linked' };
  if (ownOnly && process.getuid !== undefined && stats.uid !== process.getuid()) return { kind: 'foreign' };
  return stats.size > maxBytes ? { kind: 'too-large', sizeBytes: stats.size } : null;
}

/** Reads to the end of the file, which may not have the size that it reports. */
async function readAll(handle: FileHandle, sizeBytes: number, maxBytes: number): Promise<ReadResult> {
  // One byte more than the reported size, to notice a file that has grown.
  let buffer = Buffer.allocUnsafe(sizeBytes + 1);
  for (let filled = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    filled += bytesRead;
    if (bytesRead === 0) return { kind: 'content', bytes: buffer.subarray(0, filled) };
    if (filled > maxBytes) return { kind: 'too-large', sizeBytes: filled };
    if (filled === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * filled + 4096, maxBytes + 1));
  }
}
