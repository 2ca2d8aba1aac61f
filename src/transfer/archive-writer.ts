import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { type Pack, pack } from 'tar-stream';

import { readContent } from '../packages/pack/scan-folder.ts';
import { AppError, errnoOf } from '../shared/errors.ts';

/** Writes a new private tar.gz file. After an error nothing more can be added. */
export class ArchiveWriter {
  readonly #archive: Pack = pack();
  readonly #written: Promise<void>;
  #bytes = 0;

  constructor(file: string, signal: AbortSignal) {
    const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    this.#written = pipeline(this.#archive, createGzip(), output, { signal });
    // Awaited by the caller that fails, or by `finish`.
    this.#written.catch(() => {});
  }

  /** Size of all files so far, uncompressed. */
  get bytes(): number {
    return this.#bytes;
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    await this.#add({ name, sizeBytes: content.length, isExecutable: false }, [content]);
  }

  addFolder(name: string): void {
    this.#archive.entry({ name: `${name}/`, mode: 0o700, type: 'directory' });
  }

  /** Returns whether the file is still there. A file that grows meanwhile is cut to its announced size. */
  async addFile(
    file: string,
    entry: { name: string; sizeBytes: number; isExecutable: boolean },
  ): Promise<boolean> {
    const content = cut(file, entry.sizeBytes);
    // Opens the file before the header is written.
    const first = await content.next().catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ELOOP') return null;
      throw error;
    });
    if (first === null) return false;
    const all = async function* () {
      if (first.done !== true) yield first.value;
      yield* content;
    };
    await this.#add(entry, all());
    return true;
  }

  async finish(): Promise<void> {
    this.#archive.finalize();
    await this.#written;
  }

  /** Waits until the file is closed. */
  async abandon(): Promise<void> {
    this.#archive.destroy(new Error('abandoned'));
    await this.#written.catch(() => {});
  }

  async #add(
    { name, sizeBytes, isExecutable }: { name: string; sizeBytes: number; isExecutable: boolean },
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
  ): Promise<void> {
    const mode = isExecutable ? 0o700 : 0o600;
    const slot = this.#archive.entry({ name, size: sizeBytes, mode, type: 'file' });
    try {
      await pipeline(Readable.from(content), slot);
    } catch (error) {
      // The cause is the first error, which may be that of the target, such as a full disk.
      this.#archive.destroy(error instanceof Error ? error : new Error(String(error)));
      await this.#written;
      throw error;
    }
    this.#bytes += sizeBytes;
  }
}

/** The size precedes the content, so exactly this many bytes must follow. */
async function* cut(file: string, sizeBytes: number): AsyncGenerator<Buffer> {
  let left = sizeBytes;
  for await (const chunk of readContent(file)) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left === 0) return;
  }
  if (left > 0)
    throw new AppError(
      'package-unreadable',
      { en: `${file} became shorter while Hob read it`, zh: `读取时 ${file} 变短了` },
      { hint: { en: 'Try again when no program writes to it.', zh: '请在没有程序写入时重试。' } },
    );
}
