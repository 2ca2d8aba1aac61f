import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

export type Confined = 'ok' | 'outside' | 'missing' | 'not-a-file';

/** Whether a path from a manifest is a file inside the script's folder, also after every symbolic link is followed. */
export async function confine(folder: string, written: string): Promise<Confined> {
  // Written on Windows, it must not mean another file elsewhere.
  const path = written.replaceAll('\\', '/');
  if (
    isAbsolute(path) ||
    /^[a-zA-Z]:/.test(path) ||
    path.includes('\0') ||
    escapes(relative(folder, join(folder, path)))
  ) {
    return 'outside';
  }
  try {
    const [realFolder, realFile] = await Promise.all([realpath(folder), realpath(join(folder, path))]);
    if (escapes(relative(realFolder, realFile))) return 'outside';
    return (await stat(realFile)).isFile() ? 'ok' : 'not-a-file';
  } catch {
    return 'missing';
  }
}

function escapes(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}
