import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { type Pack, pack } from 'tar-stream';
import { ZipFile } from 'yazl';

import type { Text } from '../../shared/text.ts';
import { cannotPack } from '../fetch/copy-folder.ts';
import { EntryNames } from '../fetch/entry-names.ts';
import { leaveOut, showName, systemRefusal, tooLarge, unreadable } from '../fetch/package-errors.ts';
import { defaultFetchLimits } from '../package-source.ts';
import { leftOutNotes, type PackedEntry, readContent, scanFolder } from './scan-folder.ts';

export interface PackedFolder {
  readonly file: string;
  readonly entries: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly notes: readonly Text[];
}

/**
 * Packs a folder into an installable archive. The same content gives the same bytes: names are sorted, and of times, owners and modes
 * only the executable bit is kept. The target is a tar.gz by its name, otherwise a zip; an existing file is replaced. Does not check the
 * script.
 */
export async function packFolder(
  folder: string,
  { target, signal }: { target: string; signal: AbortSignal },
): Promise<PackedFolder> {
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
  const most = defaultFetchLimits.totalBytes;
  const names = new EntryNames(defaultFetchLimits);
  const entries: PackedEntry[] = [];
  const leftOut: string[] = [];
  let totalBytes = 0;
  for await (const entry of scanFolder(folder, { skip, signal })) {
    if (entry.kind === 'left-out') leftOut.push(entry.path);
    else if (entry.kind === 'file' || entry.kind === 'folder') {
      names.claim(entry.path, entry.kind);
      if (entry.kind === 'file') totalBytes += entry.sizeBytes;
      if (totalBytes > most)
        throw tooLarge(
          { en: `The folder is larger than ${most} bytes`, zh: `文件夹超过 ${most} 字节` },
          leaveOut,
        );
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

/** A compressed tar of these entries; the same entries give the same bytes. */
function tarStream(folder: string, entries: readonly PackedEntry[]): Readable {
  const archive = pack();
  const compressed = createGzip();
  // Errors of all parts are reported by the last stream.
  pipeline(archive, compressed).catch((error: Error) => compressed.destroy(error));
  addAll(archive, folder, entries).then(
    () => archive.finalize(),
    (error: Error) => compressed.destroy(error),
  );
  return compressed;
}

async function addAll(archive: Pack, folder: string, entries: readonly PackedEntry[]): Promise<void> {
  const fixed = { mtime: new Date(0), uid: 0, gid: 0 };
  for (const entry of entries) {
    if (entry.kind === 'folder') {
      archive.entry({ ...fixed, name: `${entry.path}/`, type: 'directory', mode: 0o755 });
      continue;
    }
    const mode = entry.isExecutable ? 0o755 : 0o644;
    const slot = archive.entry({ ...fixed, name: entry.path, type: 'file', mode, size: entry.sizeBytes });
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of readContent(join(folder, entry.path))) {
        bytes += chunk.length;
        if (bytes > entry.sizeBytes) throw changed(entry.path);
        yield chunk;
      }
      if (bytes < entry.sizeBytes) throw changed(entry.path);
    };
    await pipeline(Readable.from(counted()), slot);
  }
}

/** The size precedes the content and cannot be corrected later. */
function changed(path: string) {
  return unreadable(
    { en: `${showName(path)} changed while Hob packed it`, zh: `打包时 ${showName(path)} 发生了变化` },
    { en: 'Try again when no program writes to it.', zh: '请在无人写入时重试。' },
  );
}

/** A zip of these entries; the same entries give the same bytes. */
function zipStream(folder: string, entries: readonly PackedEntry[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  zip.on('error', (error: Error) => output.destroy(error));
  // A consumer that stops early leaves no file open.
  let current: Readable | null = null;
  output.on('close', () => current?.destroy());
  // The format has no time zone: use its earliest time, which is the same everywhere.
  const fixed = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
  for (const entry of entries) {
    if (entry.kind === 'folder') zip.addEmptyDirectory(entry.path, { ...fixed, mode: 0o040755 });
    else {
      const mode = entry.isExecutable ? 0o100755 : 0o100644;
      zip.addReadStreamLazy(entry.path, { ...fixed, mode }, (give) => {
        const content = Readable.from(readContent(join(folder, entry.path)));
        content.on('error', (error) => output.destroy(error));
        current = content;
        give(null, content);
      });
    }
  }
  zip.end();
  zip.outputStream.pipe(output);
  return output;
}
