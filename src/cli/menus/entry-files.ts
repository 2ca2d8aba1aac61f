import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import { tr } from '../language.ts';
import { type EntryFile, type Launch, markedScript } from './menu-script.ts';

/** Far more than a file of Hob has. */
const mostBytes = 1024 * 1024;

/** own: Hob wrote it for this script of this home. foreign: it belongs to the user or to another home. */
export type Ownership =
  | { readonly kind: 'own'; readonly scriptId: string; readonly text: string }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'missing' };

export async function examineFile(path: string, launch: Launch): Promise<Ownership> {
  const read = await readRegularFile(path, { maxBytes: mostBytes });
  if (read.kind === 'missing') return { kind: 'missing' };
  if (read.kind !== 'content') return { kind: 'foreign' };
  const text = read.bytes.toString();
  const scriptId = markedScript(text, launch);
  return scriptId === null ? { kind: 'foreign' } : { kind: 'own', scriptId, text };
}

/**
 * Writes a file of Hob, atomically. Returns a problem that prevented it. A file of the user is never replaced, and one of another
 * script is: that script is gone, or its own file has another path now.
 */
export async function writeEntryFile(
  { path, text, isProgram }: EntryFile,
  launch: Launch,
): Promise<string | null> {
  const found = await examineFile(path, launch);
  if (found.kind === 'foreign')
    return tr(
      `${path} exists and is not from this Hob, so it stays as it is. Rename it, then try again.`,
      `${path} 已存在且不是此 Hob 创建的，因此保持不变。请将其改名后重试。`,
    );
  if (found.kind === 'own' && found.text === text) return null;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, text, { flag: 'wx' });
    if (isProgram) await chmod(draft, 0o755);
    await rename(draft, path);
    return null;
  } catch (error) {
    // The path of the draft may lead through a file: the first error says more.
    await rm(draft, { force: true }).catch(() => {});
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return tr(`Cannot write ${path} (${errno}).`, `无法写入 ${path}（${errno}）。`);
  }
}

/** Removes a file of a script. A file that the user put in its place stays. Returns a problem that prevented it. */
export async function removeEntryFile(
  path: string,
  launch: Launch,
  scriptId: string,
): Promise<string | null> {
  const found = await examineFile(path, launch);
  if (found.kind !== 'own' || found.scriptId !== scriptId) return null;
  try {
    await rm(path, { force: true });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return tr(`Cannot remove ${path} (${errno}).`, `无法删除 ${path}（${errno}）。`);
  }
  // Hob may have created the folder.
  await rmdir(dirname(path)).catch(() => {});
  return null;
}
