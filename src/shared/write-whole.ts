import { writeSync } from 'node:fs';

/**
 * Writes all bytes, and throws if that fails. A full disk may accept only a part, which shows only in the returned
 * number. Returns the number of bytes.
 */
export function writeWhole(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}
