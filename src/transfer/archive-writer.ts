import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { type Headers, type Pack, pack } from 'tar-stream';

import { readContent } from '../packages/pack/scan-folder.ts';
import { AppError, errnoOf, isExhaustion } from '../shared/errors.ts';

/** Writes a new private tar.gz file. After an error nothing more can be added. */
export class ArchiveWriter {
  readonly #archive: Pack = pack();
  readonly #written: Promise<void>;
  readonly #onProgress: (bytesDone: number) => void;
  #bytes = 0;

  /** `onProgress` receives the size of all files so far, uncompressed. */
  constructor(file: string, signal: AbortSignal, onProgress: (bytesDone: number) => void) {
    this.#onProgress = onProgress;
    const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    this.#written = pipeline(this.#archive, createGzip(), output, { signal });
    // Awaited by the caller that fails, or by `finish`.
    this.#written.catch(() => {});
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    await this.#add({ name, sizeBytes: content.length, isExecutable: false }, content);
  }

  addFolder(name: string): void {
    this.#archive.entry({ name: `${name}/`, mode: 0o700, type: 'directory' });
  }

  /** Returns the error code if the file cannot be opened, else null. A file that grows meanwhile is cut to its announced size. */
  async addFile(
    file: string,
    entry: { name: string; sizeBytes: number; isExecutable: boolean },
  ): Promise<string | null> {
    const content = cut(file, entry.sizeBytes);
    try {
      // Opens the file before the header is written.
      const first = await content.next().catch((error: unknown) => {
        const errno = errnoOf(error);
        if (errno === undefined || isExhaustion(errno)) throw error;
        return errno;
      });
      if (typeof first === 'string') return first;
      const start = first.done === true ? Buffer.alloc(0) : first.value;
      const all = async function* () {
        yield start;
        yield* content;
      };
      await this.#add(entry, start.length === entry.sizeBytes ? start : all());
      return null;
    } finally {
      // Closes the file.
      await content.return(undefined);
    }
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
    content: Buffer | AsyncIterable<Buffer>,
  ): Promise<void> {
    const header = { name, size: sizeBytes, mode: isExecutable ? 0o700 : 0o600, type: 'file' } as const;
    try {
      // Most files are small, and a stream of its own takes longer than all the rest.
      if (content instanceof Buffer) await this.#addBuffer(header, content);
      else await pipeline(Readable.from(content), this.#archive.entry(header));
    } catch (error) {
      // The cause is the first error, which may be that of the target, such as a full disk.
      this.#archive.destroy(error instanceof Error ? error : new Error(String(error)));
      await this.#written;
      throw error;
    }
    this.#bytes += sizeBytes;
    this.#onProgress(this.#bytes);
  }

  #addBuffer(header: Headers, content: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#archive.entry(header, content, (error) => (error ? reject(error) : resolve()));
    });
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
    throw new AppError('package-unreadable', {
      en: `${file} became shorter while Hob read it`,
      zh: `读取时 ${file} 变短了`,
      hint: { en: 'Try again when no program writes to it.', zh: '请在没有程序写入时重试。' },
    });
}
