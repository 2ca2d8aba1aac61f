import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

export type Confined = 'ok' | 'outside' | 'missing' | 'not-a-file';

/** Checks that a path from a manifest names a file inside the script's folder, after all symbolic links are resolved. */
export async function confine(folder: string, written: string): Promise<Confined> {
  const path = insideOf(folder, written);
  if (path === null) return 'outside';
  try {
    const [realFolder, realFile] = await Promise.all([realpath(folder), realpath(path)]);
    if (escapes(relative(realFolder, realFile))) return 'outside';
    return (await stat(realFile)).isFile() ? 'ok' : 'not-a-file';
  } catch {
    return 'missing';
  }
}

/** Returns the real path of such a file; null if it is missing, not a file or outside the folder. */
export async function realFileInside(folder: string, written: string): Promise<string | null> {
  const path = insideOf(folder, written);
  if (path === null) return null;
  try {
    const [realFolder, realFile] = await Promise.all([realpath(folder), realpath(path)]);
    return escapes(relative(realFolder, realFile)) ? null : realFile;
  } catch {
    return null;
  }
}

/** The path as written, or null if it leads out of the folder. */
function insideOf(folder: string, written: string): string | null {
  // A path written on Windows must not name another file elsewhere.
  const path = written.replaceAll('\\', '/');
  const isForeign = isAbsolute(path) || /^[a-zA-Z]:/.test(path) || path.includes('\0');
  const whole = join(folder, path);
  return isForeign || escapes(relative(folder, whole)) ? null : whole;
}

function escapes(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}
