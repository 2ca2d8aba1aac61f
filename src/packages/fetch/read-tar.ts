import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { type Entry, extract, type Headers } from 'tar-stream';

import { damaged, unreadable, unsafe, withoutLinks } from './package-errors.ts';
import type { PackageWriter } from './package-writer.ts';
import { showName } from './show-name.ts';
import { decodeName } from './zip-names.ts';

interface TarOptions {
  readonly isCompressed: boolean;
  readonly signal: AbortSignal;
}

const blockBytes = 512;

/**
 * Names and other long things are held in memory until they are complete. So much may come between the contents of two files;
 * the zeros at the end, of which some programs write a megabyte, are no more.
 */
const mostBetweenFilesBytes = 4 * 1024 * 1024;

/** All that is no content: several times what as many files as are allowed need. */
const mostBesideFilesBytes = 256 * 1024 * 1024;

/** Unpacks a tar as it comes. The source is destroyed whatever happens. */
export async function readTar(source: Readable, writer: PackageWriter, options: TarOptions): Promise<void> {
  // Bytes as they are: which encoding a name has is found out here.
  const entries = extract({ filenameEncoding: 'latin1' });
  const guard = new TarGuard();
  const steps = options.isCompressed ? [source, createGunzip(), guard] : [source, guard];
  const feeding = pipeline([...steps, entries], { signal: options.signal });
  // Waited for below; who fails first may be the other one.
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
    // Until then its file is open.
    if (!source.closed) await new Promise<void>((resolve) => source.once('close', resolve));
  }
}

async function unpack(entry: Entry, name: string, writer: PackageWriter, guard: TarGuard): Promise<void> {
  const { header } = entry;
  const kind = kindOf(header, name);
  const size = header.size ?? 0;
  // Minus one is read as minus nothing.
  if (!Number.isSafeInteger(size) || size < 0 || Object.is(size, -0)) {
    throw unreadable({
      en: `${showName(name)} has an invalid size`,
      zh: `${showName(name)} 的大小无效`,
    });
  }
  guard.beginContent(kind === 'file' ? size : 0);
  const claimed = writer.claim(name, kind);
  // What is left out has to be read all the same.
  writer.announce(kind === 'file' ? size : 0, name);
  if (claimed !== null && kind === 'folder') await writer.makeFolder(claimed);
  if (claimed !== null && kind === 'file') {
    await writer.writeFile(claimed, ((header.mode ?? 0) & 0o100) !== 0, entry);
  }
  // Whatever was not read has to be, before the next one comes.
  entry.resume();
}

/** A name of the newer kind is UTF-8 by definition, and decoded already. */
function nameOf(header: Headers): string {
  const extended = paxOf(header);
  return extended.path === undefined ? decodeName(Buffer.from(header.name, 'latin1')) : header.name;
}

function kindOf(header: Headers, name: string): 'file' | 'folder' {
  if (Object.keys(paxOf(header)).some((key) => key.startsWith('GNU.sparse.'))) throw sparse(name);
  switch (header.type) {
    case 'file':
    case 'contiguous-file':
      // Old programs know a folder by its slash alone.
      return /[/\\]$/.test(name) && header.size === 0 ? 'folder' : 'file';
    case 'directory':
      return 'folder';
    case 'symlink':
      throw unsafe(
        { en: `${showName(name)} is a symbolic link`, zh: `${showName(name)} 是符号链接` },
        withoutLinks,
      );
    case 'link':
      throw unsafe(
        { en: `${showName(name)} is a hard link`, zh: `${showName(name)} 是硬链接` },
        withoutLinks,
      );
    case 'character-device':
    case 'block-device':
      throw unsafe({ en: `${showName(name)} is a device`, zh: `${showName(name)} 是设备文件` });
    case 'fifo':
      throw unsafe({ en: `${showName(name)} is a named pipe`, zh: `${showName(name)} 是命名管道` });
    default:
      throw sparse(name);
  }
}

function sparse(name: string) {
  return unreadable(
    {
      en: `${showName(name)} is an entry of an unsupported type, such as a sparse file`,
      zh: `${showName(name)} 是不支持的条目类型，例如稀疏文件`,
    },
    {
      hint: {
        en: 'Create the archive without such entries (tar without -S).',
        zh: '请勿在压缩包中使用此类条目（tar 不加 -S）。',
      },
    },
  );
}

function paxOf(header: Headers): Readonly<Record<string, string | undefined>> {
  return 'pax' in header && typeof header.pax === 'object' && header.pax !== null ? { ...header.pax } : {};
}

/** Sees all bytes go by, and finds out what the parser does not: headers without end, and an end that is missing. */
class TarGuard extends Transform {
  #sinceContentBytes = 0;
  #contentBytes = 0;
  #zeros = 0;
  #totalBytes = 0;
  #begunBytes = 0;

  /** The bytes that are a file's own are counted where they are written. */
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
      this.#totalBytes - this.#begunBytes > mostBesideFilesBytes
    ) {
      done(
        unreadable({
          en: 'The archive has several megabytes of headers or zeros',
          zh: '压缩包的文件头或空白长达数兆字节',
        }),
      );
    } else done(null, chunk);
  }

  /** An archive that was cut between two files looks complete, but for the zeros that end it. */
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
