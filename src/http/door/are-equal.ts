import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same, in a time that says nothing about where they differ, or how long they are. */
export function areEqual(first: string, second: string): boolean {
  return timingSafeEqual(digest(first), digest(second));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
