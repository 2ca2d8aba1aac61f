import { writeSync } from 'node:fs';

/** Throws when the disk does not take all of it: it may take a part, and says so only by the number. Returns how many bytes it was. */
export function writeWhole(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}
