import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { tr } from './language.ts';

/** Why a file of the user must not be replaced, although that is possible; null if it may be. */
export async function writeFault(file: string): Promise<string | null> {
  const link = await lstat(file).catch(() => null);
  if (link === null) return null;
  const found = await stat(file).catch(() => null);
  if (found === null)
    return tr(
      `${file} was not changed: it is a link to a file that does not exist. Restore that file or remove the link, then try again.`,
      `没有更改 ${file}：它链接到的文件不存在。请恢复该文件或删除此链接后重试。`,
    );
  if ((found.mode & 0o200) === 0)
    return tr(
      `${file} was not changed, because it is read-only. Make it writable, then try again: chmod u+w "${file}"`,
      `没有更改 ${file}：它是只读的。请使其可写后重试：chmod u+w "${file}"`,
    );
  return null;
}

/** Replaces the file atomically. It keeps its permissions, and a link to it stays a link. */
export async function replaceUserFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const target = await realpath(file).catch(() => null);
  const path = target ?? file;
  const mode = target === null ? 0o600 : (await stat(target)).mode & 0o777;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
