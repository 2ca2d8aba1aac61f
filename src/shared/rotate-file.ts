import { read, write } from 'node:fs';
import { promisify } from 'node:util';

const readFrom = promisify(read);
const writeTo = promisify(write);
const blockBytes = 64 * 1024;

interface Rotation {
  start: number;
  length: number;
  /** Number of bytes to move from the front of the part to its end. */
  by: number;
}

/** Rotates a part of a file in place, with little memory: it reverses both sides of the cut, and then the whole part. */
export async function rotateFile(fd: number, { start, length, by }: Rotation): Promise<void> {
  if (by === 0 || by === length) return;
  await reverse(fd, start, start + by);
  await reverse(fd, start + by, start + length);
  await reverse(fd, start, start + length);
}

/** Swaps blocks from both ends until they meet. */
async function reverse(fd: number, from: number, to: number): Promise<void> {
  let first = from;
  let last = to;
  while (last - first > 1) {
    const size = Math.min(blockBytes, Math.floor((last - first) / 2));
    const front = await readAt(fd, first, size);
    const back = await readAt(fd, last - size, size);
    await writeAt(fd, back.reverse(), first);
    await writeAt(fd, front.reverse(), last - size);
    first += size;
    last -= size;
  }
}

async function readAt(fd: number, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await readFrom(fd, buffer, done, length - done, position + done);
    if (bytesRead === 0) throw new Error('the file is shorter than it was');
    done += bytesRead;
  }
  return buffer;
}

async function writeAt(fd: number, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeTo(fd, bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
