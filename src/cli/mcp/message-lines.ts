import type { Readable } from 'node:stream';

const lineFeed = 0x0a;

/** The largest message that a client may send. */
export const maxLineBytes = 10 * 1024 * 1024;

export interface LineReader {
  onLine(line: Uint8Array): void;
  /** Called once for each line that is too long. The line is dropped. */
  onTooLong(): void;
}

/** Splits a stream into lines. Resolves when the stream has ended, failed or was destroyed. */
export function readLines(
  stream: Readable,
  { onLine, onTooLong }: LineReader,
  maxBytes = maxLineBytes,
): Promise<void> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const add = (piece: Uint8Array) => {
    size += piece.length;
    if (size <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  const end = () => {
    if (size > maxBytes) onTooLong();
    else if (size > 0) onLine(Buffer.concat(pieces, size));
    pieces = [];
    size = 0;
  };
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      let start = 0;
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
        add(chunk.subarray(start, at));
        end();
        start = at + 1;
      }
      add(chunk.subarray(start));
    });
    stream.once('end', end);
    stream.once('error', () => resolve());
    stream.once('close', () => resolve());
    stream.once('end', () => resolve());
  });
}
