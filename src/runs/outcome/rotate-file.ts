import type { FileHandle } from 'node:fs/promises';

const blockBytes = 64 * 1024;

interface Rotation {
  start: number;
  length: number;
  /** How many bytes go from the front of the part to its end. */
  by: number;
}

/** Rotates a part of a file in its place and in little memory: reversing both sides of the cut, and then all of it, does that. */
export async function rotateFile(file: FileHandle, { start, length, by }: Rotation): Promise<void> {
  if (by === 0 || by === length) return;
  await reverse(file, start, start + by);
  await reverse(file, start + by, start + length);
  await reverse(file, start, start + length);
}

/** Swaps blocks from both ends until they meet. */
async function reverse(file: FileHandle, from: number, to: number): Promise<void> {
  let first = from;
  let last = to;
  while (last - first > 1) {
    const size = Math.min(blockBytes, Math.floor((last - first) / 2));
    const front = await readAt(file, first, size);
    const back = await readAt(file, last - size, size);
    await writeAt(file, back.reverse(), first);
    await writeAt(file, front.reverse(), last - size);
    first += size;
    last -= size;
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) throw new Error('the file is shorter than it was');
    done += bytesRead;
  }
  return buffer;
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
