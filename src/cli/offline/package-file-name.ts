import { safeFileName } from '../safe-file-name.ts';

/** A file name that is valid on every system and still readable: `图片放大-1.0.0.zip`. */
export function packageFileName({ name, version }: { name: string; version: string | null }): string {
  return `${safeFileName(name, version ?? '')}.zip`;
}
