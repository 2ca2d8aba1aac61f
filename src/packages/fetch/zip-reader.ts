import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

import { RandomAccessReader } from 'yauzl';

const pieceBytes = 64 * 1024;

/**
 * Reads a zip for the library. The reader of the library allows one stream at a time, and an abandoned stream that waits for its turn
 * ends the process. The caller that opened the file closes it.
 */
export class ZipReader extends RandomAccessReader {
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
