import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import type { NewFile } from './commands/new/new-script.ts';
import { tr } from './language.ts';
import { UserError, userError } from './user-error.ts';

/** Creates the scripts folder of the home, which is missing if Hob has never run there. */
export async function createScriptsFolder(scripts: string): Promise<void> {
  await mkdir(scripts, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const errno = errnoOf(error);
    throw userError(
      `Cannot create the scripts folder ${scripts} (${errno}). Choose another folder: --dir <dir>`,
      `无法创建存放脚本的文件夹 ${scripts}（${errno}）。请用 --dir <文件夹> 指定位置。`,
    );
  });
}

/** Returns why the folder cannot be created; null if it can. */
export async function faultOfPlace(folder: string): Promise<string | null> {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return null;
  return tr(
    `${folder} already exists and was not changed. Use another name, or another folder with --dir.`,
    `${folder} 已经存在，没有改动它。请换一个名称，或用 --dir 换一个位置。`,
  );
}

/** Creates a folder with these files atomically, because a service may be watching the parent folder. */
export async function writeScript(folder: string, files: readonly NewFile[]): Promise<void> {
  const fault = await faultOfPlace(folder);
  if (fault !== null) throw new UserError(fault);
  // A service ignores folders whose name begins with a dot.
  const draft = join(dirname(folder), `.hob-new-${randomBytes(6).toString('hex')}`);
  try {
    // Not recursive: the parent exists, and a recursive mkdir in Node can loop forever if it cannot create the folder.
    await mkdir(draft);
    for (const { path, text } of files) {
      const file = join(draft, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
      if (text.startsWith('#!')) await chmod(file, 0o755);
    }
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw userError(
      `Cannot write ${folder} (${errno}). No files were left behind. To use another folder: --dir <dir>`,
      `无法写入 ${folder}（${errno}），没有留下任何文件。可以用 --dir 换一个位置。`,
    );
  }
}
