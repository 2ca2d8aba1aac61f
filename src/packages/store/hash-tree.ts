import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';

import { folderEntries } from '../../shared/folder-entries.ts';

const pieceBytes = 1024 * 1024;

/** Hash of a folder: names, contents and executable bits. Does not follow links. */
export async function hashTree(folder: string, signal: AbortSignal): Promise<string> {
  const lines: string[] = [];
  const piece = Buffer.allocUnsafe(pieceBytes);
  // Iterative, because the depth is not trustworthy.
  const folders = [''];
  for (let inner = folders.pop(); inner !== undefined; inner = folders.pop()) {
    for await (const entries of folderEntries(join(folder, inner), signal)) {
      for (const entry of entries) {
        const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
        if (entry.isDirectory()) folders.push(path);
        lines.push(JSON.stringify([path, ...(await describe(join(folder, path), entry, { piece, signal }))]));
      }
    }
  }
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

interface Reading {
  readonly piece: Buffer;
  readonly signal: AbortSignal;
}

async function describe(path: string, entry: Dirent, reading: Reading): Promise<string[]> {
  if (entry.isDirectory()) return ['folder'];
  if (entry.isSymbolicLink()) return ['link', await readlink(path)];
  if (!entry.isFile()) return ['special'];
  // Windows has no executable bit.
  const isExecutable = process.platform !== 'win32' && ((await lstat(path)).mode & 0o100) !== 0;
  return [isExecutable ? 'program' : 'file', await hashFile(path, reading)];
}

async function hashFile(path: string, { piece, signal }: Reading): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(path, 'r');
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(piece, 0, piece.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
