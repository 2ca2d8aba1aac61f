import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Text } from '../../shared/text.ts';
import { cannotPack } from '../fetch/copy-folder.ts';
import { EntryNames } from '../fetch/entry-names.ts';
import { defaultFetchLimits } from '../fetch/fetch-limits.ts';
import { systemRefusal, tooLarge } from '../fetch/package-errors.ts';
import { leftOutNotes } from './left-out.ts';
import { type PackedEntry, scanFolder } from './scan-folder.ts';
import { tarStream } from './tar-stream.ts';
import { zipStream } from './zip-stream.ts';

interface PackOptions {
  /** The archive to write: tar.gz by its name, otherwise zip. An existing file is replaced. */
  readonly target: string;
  readonly signal: AbortSignal;
}

export interface PackedFolder {
  readonly file: string;
  readonly entries: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Omitted entries. */
  readonly notes: readonly Text[];
}

/**
 * Packs a folder into an installable archive. The same content gives the same bytes: names are sorted, and of times, owners and modes
 * only the executable bit is kept. Does not check the script.
 */
export async function packFolder(folder: string, { target, signal }: PackOptions): Promise<PackedFolder> {
  const file = resolve(target);
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    // Create the archive before the scan: it may be inside the folder and must then be skipped.
    await (await open(draft, 'wx', 0o644)).close();
    const { entries, leftOut } = await collect(resolve(folder), [draft, file], signal);
    const isTar = /\.(?:tgz|tar\.gz)$/i.test(file);
    const content = isTar ? tarStream(resolve(folder), entries) : zipStream(resolve(folder), entries);
    const { bytes, sha256 } = await write(content, draft, signal);
    await rename(draft, file);
    return { file, entries: entries.length, bytes, sha256, notes: leftOutNotes(leftOut) };
  } catch (error) {
    await rm(draft, { force: true });
    signal.throwIfAborted();
    throw systemRefusal(error);
  }
}

async function collect(
  folder: string,
  skip: readonly string[],
  signal: AbortSignal,
): Promise<{ entries: PackedEntry[]; leftOut: string[] }> {
  const names = new EntryNames(defaultFetchLimits);
  const entries: PackedEntry[] = [];
  const leftOut: string[] = [];
  let totalBytes = 0;
  for await (const entry of scanFolder(folder, { skip, signal })) {
    if (entry.kind === 'left-out') leftOut.push(entry.path);
    else if (entry.kind === 'file' || entry.kind === 'folder') {
      names.claim(entry.path, entry.kind);
      if (entry.kind === 'file') totalBytes += entry.sizeBytes;
      if (totalBytes > defaultFetchLimits.totalBytes) throw tooManyBytes();
      if (entry.kind === 'file' || entry.isEmpty) entries.push(entry);
    } else throw cannotPack(entry);
  }
  return { entries, leftOut };
}

async function write(
  content: Readable,
  file: string,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(content, counter, createWriteStream(file, { flags: 'r+' }), { signal });
  return { bytes, sha256: hash.digest('hex') };
}

function tooManyBytes() {
  const most = defaultFetchLimits.totalBytes;
  return tooLarge(
    { en: `The folder is larger than ${most} bytes`, zh: `文件夹超过 ${most} 字节` },
    {
      en: 'Remove files that the script does not need. Declare models in the manifest, and Hob downloads them.',
      zh: '请去掉脚本不需要的内容；模型请在清单中声明，由 Hob 下载。',
    },
  );
}
