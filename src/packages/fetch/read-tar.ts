import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { type Entry, extract, type Headers } from 'tar-stream';
import { decodeName } from './entry-names.ts';
import { damaged, showName, unreadable, unsafe, withoutLinks } from './package-errors.ts';
import type { PackageWriter } from './package-writer.ts';

interface TarOptions {
  readonly isCompressed: boolean;
  readonly signal: AbortSignal;
  readonly mostBesideFilesBytes?: number;
}

const blockBytes = 512;

/**
 * Long names and other metadata are buffered until complete. This limits the bytes between the contents of two files; the zeros at
 * the end, of which some programs write a megabyte, stay below it.
 */
const mostBetweenFilesBytes = 4 * 1024 * 1024;

/** Limit of all metadata: several times the need of the maximum number of files in a package. */
const usualBesideFilesBytes = 256 * 1024 * 1024;

/** Unpacks a tar stream. The source is always destroyed. */
export async function readTar(source: Readable, writer: PackageWriter, options: TarOptions): Promise<void> {
  // Read raw bytes: the encoding of names is detected here.
  const entries = extract({ filenameEncoding: 'latin1' });
  const guard = new TarGuard(options.mostBesideFilesBytes ?? usualBesideFilesBytes);
  const steps = options.isCompressed ? [source, createGunzip(), guard] : [source, guard];
  const feeding = pipeline([...steps, entries], { signal: options.signal });
  // Awaited below; the other side may fail first.
  feeding.catch(() => {});
  let current: string | null = null;
  try {
    for await (const entry of entries) {
      current = nameOf(entry.header);
      await unpack(entry, current, writer, guard);
    }
    current = null;
    await feeding;
    guard.checkEnd();
  } catch (error) {
    throw damaged(error, current);
  } finally {
    source.destroy();
    // The file is open until then.
    if (!source.closed) await new Promise<void>((resolve) => source.once('close', resolve));
  }
}

async function unpack(entry: Entry, name: string, writer: PackageWriter, guard: TarGuard): Promise<void> {
  const { header } = entry;
  const kind = kindOf(header, name);
  const size = header.size ?? 0;
  // The parser reads minus one as minus zero.
  if (!Number.isSafeInteger(size) || size < 0 || Object.is(size, -0)) {
    throw unreadable({ en: `${showName(name)} has an invalid size`, zh: `${showName(name)} 的大小无效` });
  }
  guard.beginContent(kind === 'file' ? size : 0);
  const claimed = writer.claim(name, kind);
  // Omitted entries must be read as well.
  writer.announce(kind === 'file' ? size : 0, name);
  if (claimed !== null && kind === 'folder') await writer.makeFolder(claimed);
  if (claimed !== null && kind === 'file') {
    await writer.writeFile(claimed, ((header.mode ?? 0) & 0o100) !== 0, entry);
  }
  // Drain the rest before the next entry.
  entry.resume();
}

/** Names in pax headers are UTF-8 by definition and already decoded. */
function nameOf(header: Headers): string {
  const extended = paxOf(header);
  return extended.path === undefined ? decodeName(Buffer.from(header.name, 'latin1')) : header.name;
}

function kindOf(header: Headers, name: string): 'file' | 'folder' {
  const shown = showName(name);
  const isSparse = Object.keys(paxOf(header)).some((key) => key.startsWith('GNU.sparse.'));
  switch (isSparse ? 'sparse' : header.type) {
    case 'file':
    case 'contiguous-file':
      // Old programs mark a folder only by a trailing slash.
      return /[/\\]$/.test(name) && header.size === 0 ? 'folder' : 'file';
    case 'directory':
      return 'folder';
    case 'symlink':
      throw unsafe({ en: `${shown} is a symbolic link`, zh: `${shown} 是符号链接` }, withoutLinks);
    case 'link':
      throw unsafe({ en: `${shown} is a hard link`, zh: `${shown} 是硬链接` }, withoutLinks);
    case 'character-device':
    case 'block-device':
      throw unsafe({ en: `${shown} is a device`, zh: `${shown} 是设备文件` });
    case 'fifo':
      throw unsafe({ en: `${shown} is a named pipe`, zh: `${shown} 是命名管道` });
    default:
      throw unreadable(
        {
          en: `${shown} is an entry of an unsupported type, such as a sparse file`,
          zh: `${shown} 是不支持的条目类型，例如稀疏文件`,
        },
        {
          en: 'Create the archive without such entries (tar without -S).',
          zh: '请勿在压缩包中使用此类条目（tar 不加 -S）。',
        },
      );
  }
}

function paxOf(header: Headers): Readonly<Record<string, string | undefined>> {
  return 'pax' in header && typeof header.pax === 'object' && header.pax !== null ? { ...header.pax } : {};
}

/** Inspects all bytes and detects what the parser does not: endless headers and a missing end. */
class TarGuard extends Transform {
  #sinceContentBytes = 0;
  #contentBytes = 0;
  #zeros = 0;
  #totalBytes = 0;
  #begunBytes = 0;
  readonly #mostBesideFilesBytes: number;

  constructor(mostBesideFilesBytes: number) {
    super();
    this.#mostBesideFilesBytes = mostBesideFilesBytes;
  }

  /** The writer counts the content of files. */
  beginContent(sizeBytes: number): void {
    this.#contentBytes = sizeBytes;
    this.#begunBytes += sizeBytes;
    this.#sinceContentBytes = 0;
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null, data?: Buffer) => void,
  ): void {
    this.#totalBytes += chunk.length;
    const content = Math.min(this.#contentBytes, chunk.length);
    this.#contentBytes -= content;
    this.#sinceContentBytes += chunk.length - content;
    this.#countZeros(chunk);
    if (
      this.#sinceContentBytes > mostBetweenFilesBytes ||
      this.#totalBytes - this.#begunBytes > this.#mostBesideFilesBytes
    ) {
      done(
        unreadable({
          en: 'The archive has several megabytes of headers or zeros',
          zh: '压缩包的文件头或空白长达数兆字节',
        }),
      );
    } else done(null, chunk);
  }

  /** An archive truncated between two files looks complete, except for the missing zeros at its end. */
  checkEnd(): void {
    if (this.#totalBytes > 0 && this.#zeros >= blockBytes) return;
    throw unreadable({
      en: 'The archive has no end marker; it may be truncated',
      zh: '压缩包在结束标记之前就中断了',
    });
  }

  #countZeros(chunk: Buffer): void {
    let last = chunk.length;
    while (last > 0 && chunk[last - 1] === 0 && chunk.length - last < blockBytes) last--;
    const atEnd = chunk.length - last;
    this.#zeros = atEnd === chunk.length ? this.#zeros + atEnd : atEnd;
  }
}
