import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';

import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';

import { decodeName } from './entry-names.ts';
import { damaged, showName, unreadable, unsafe, withoutLinks } from './package-errors.ts';
import type { Claimed, PackageWriter } from './package-writer.ts';

const markedUtf8 = 0x800;
const unicodePathField = 0x7075;
const pieceBytes = 64 * 1024;

/**
 * Reads a zip for the library. The reader of the library allows one stream at a time, and an abandoned stream that waits for its turn
 * ends the process. The caller that opened the file closes it.
 */
class ZipReader extends RandomAccessReader {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    super();
    this.#handle = handle;
  }

  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    return Readable.from(this.#pieces(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#fill(buffer.subarray(offset, offset + length), position).then(() => callback(null), callback);
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - at));
      await this.#fill(piece, at);
      at += piece.length;
      yield piece;
    }
  }

  async #fill(target: Buffer, position: number): Promise<void> {
    for (let done = 0; done < target.length; ) {
      const { bytesRead } = await this.#handle.read(target, done, target.length - done, position + done);
      if (bytesRead === 0) throw new Error('unexpected EOF');
      done += bytesRead;
    }
  }
}

interface Planned {
  readonly entry: Entry;
  readonly claimed: Claimed;
  readonly kind: 'file' | 'folder';
}

const localHeaderBytes = 30;

const typeMask = 0o170000;
const fileType = 0o100000;
const folderType = 0o040000;
const linkType = 0o120000;

/** Unpacks a zip. All names are checked first, so most refused archives write nothing. */
export async function readZip(handle: FileHandle, writer: PackageWriter, signal: AbortSignal): Promise<void> {
  const { size } = await handle.stat();
  // Decode names here, because the library assumes DOS encoding.
  const options = { autoClose: false, decodeStrings: false };
  const zip = await fromRandomAccessReaderPromise(new ZipReader(handle), size, options);
  const planned = await plan(zip, writer, signal);
  refuseOverlaps(planned);
  for (const each of planned) await unpack(zip, each, writer);
}

async function plan(zip: ZipFile, writer: PackageWriter, signal: AbortSignal): Promise<Planned[]> {
  const planned: Planned[] = [];
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted();
    const name = decodeZipName(entry);
    const kind = kindOf(entry, name);
    const claimed = writer.claim(name, kind);
    if (claimed === null) continue;
    refuseUndecodable(entry, name);
    writer.announce(entry.uncompressedSize, name);
    planned.push({ entry, claimed, kind });
  }
  return planned;
}

function kindOf(entry: Entry, name: string): 'file' | 'folder' {
  const type = (entry.externalFileAttributes >>> 16) & typeMask;
  const hasSlash = /[/\\]$/.test(name);
  if (type !== 0 && type !== fileType && type !== folderType) {
    throw type === linkType
      ? unsafe(
          { en: `${showName(name)} is a symbolic link`, zh: `${showName(name)} 是符号链接` },
          withoutLinks,
        )
      : unsafe({ en: `${showName(name)} is not a regular file`, zh: `${showName(name)} 不是普通文件` });
  }
  const isFolder = hasSlash || type === folderType;
  if (isFolder && entry.uncompressedSize > 0) {
    throw unreadable({
      en: `The folder ${showName(name)} has content like a file`,
      zh: `文件夹 ${showName(name)} 带有文件内容`,
    });
  }
  return isFolder ? 'folder' : 'file';
}

function refuseUndecodable(entry: Entry, name: string): void {
  if (entry.isEncrypted()) {
    throw unreadable(
      { en: `${showName(name)} is encrypted`, zh: `${showName(name)} 已加密` },
      { en: 'Create the archive without a password.', zh: '请制作不带密码的压缩包。' },
    );
  }
  if (entry.canDecodeFileData()) return;
  const method = entry.compressionMethod;
  throw unreadable(
    {
      en: `${showName(name)} uses an unsupported compression method (${method})`,
      zh: `${showName(name)} 使用了不支持的压缩方法（${method}）`,
    },
    {
      en: 'Create the archive with the standard method, Deflate.',
      zh: '请使用常用的 Deflate 方法压缩。',
    },
  );
}

/** Overlapping entries make a small archive expand without limit; no valid archive has them. */
function refuseOverlaps(planned: readonly Planned[]): void {
  const ordered = planned.toSorted(
    (one, other) => one.entry.relativeOffsetOfLocalHeader - other.entry.relativeOffsetOfLocalHeader,
  );
  let before = { end: 0, path: '' };
  for (const { entry, claimed } of ordered) {
    const start = entry.relativeOffsetOfLocalHeader;
    if (start < before.end) {
      throw unsafe({
        en: `The entries ${showName(before.path)} and ${showName(claimed.path)} overlap in the archive`,
        zh: `条目 ${showName(before.path)} 与 ${showName(claimed.path)} 在压缩包中互相重叠`,
      });
    }
    const end = start + localHeaderBytes + entry.fileNameLength + entry.compressedSize;
    before = { end, path: claimed.path };
  }
}

async function unpack(zip: ZipFile, { entry, claimed, kind }: Planned, writer: PackageWriter): Promise<void> {
  if (kind === 'folder') return writer.makeFolder(claimed);
  try {
    const header = await zip.readLocalFileHeaderPromise(entry);
    if (!header.fileName.equals(entry.fileNameRaw)) {
      throw unsafe({
        en: `The entry ${showName(claimed.path)} has a different name in its local header`,
        zh: `条目 ${showName(claimed.path)} 在内容处使用了另一个名称`,
      });
    }
    const isExecutable = ((entry.externalFileAttributes >>> 16) & 0o100) !== 0;
    await writer.writeFile(claimed, isExecutable, contentOf(zip, entry));
  } catch (error) {
    throw damaged(error, claimed.path);
  }
}

/** Opened when read, so that the reader receives its errors. The library checks the size; this checks the checksum. */
async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const content: Readable = await zip.openReadStreamPromise(entry);
  // The stream may fail again after the reader has left.
  content.on('error', () => {});
  let sum = 0;
  for await (const chunk of content) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw new Error('the checksum is wrong');
}

/**
 * Decodes the name of an entry. A name marked as UTF-8 is UTF-8. Info-ZIP adds the true name if it cannot be written otherwise. Any
 * other name that is not UTF-8 was written by a Chinese Windows. Unknown bytes become U+FFFD, which is refused.
 */
function decodeZipName({ fileNameRaw: bytes, generalPurposeBitFlag, extraFields }: Entry): string {
  if ((generalPurposeBitFlag & markedUtf8) !== 0) return bytes.toString();
  for (const { id, data } of extraFields) {
    // Valid only if it was written for this name.
    if (id !== unicodePathField || data.length < 6 || data[0] !== 1) continue;
    if (data.readUInt32LE(1) === crc32(bytes)) return data.subarray(5).toString();
  }
  return decodeName(bytes);
}
