import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets. The time taken reveals neither where they differ nor how long they are. */
export function areEqual(first: string, second: string): boolean {
  return timingSafeEqual(digest(first), digest(second));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
