import { safeFileName } from '../safe-file-name.ts';

/** A file name that every system takes, in which the name of the script can still be read: `图片放大-1.0.0.zip`. */
export function packageFileName({ name, version }: { name: string; version: string | null }): string {
  return `${safeFileName(name, version ?? '')}.zip`;
}
