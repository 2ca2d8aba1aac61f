import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

export type Confined = 'ok' | 'outside' | 'missing' | 'not-a-file';

/**
 * Checks that a path from a manifest names a file inside the script's folder, after all symbolic links are resolved.
 * Synchronous, because it precedes every run and takes microseconds, less than one request to a thread.
 */
export function confine(folder: string, written: string): Confined {
  const path = insideOf(folder, written);
  if (path === null) return 'outside';
  try {
    const real = realPathInside(folder, path);
    if (real === null) return 'outside';
    return statSync(real).isFile() ? 'ok' : 'not-a-file';
  } catch {
    return 'missing';
  }
}

/** Returns the real path of such a file; null if it is missing, not a file or outside the folder. */
export function realFileInside(folder: string, written: string): string | null {
  const path = insideOf(folder, written);
  if (path === null) return null;
  try {
    return realPathInside(folder, path);
  } catch {
    return null;
  }
}

function realPathInside(folder: string, path: string): string | null {
  const real = realpathSync.native(path);
  return escapes(relative(realpathSync.native(folder), real)) ? null : real;
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
