import { randomBytes } from 'node:crypto';
import { access, constants, readlink, rename, rm, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';

/**
 * Links the packages of an environment: `node_modules` in the folder of the script. Not through a variable, because ES modules ignore
 * them and child processes need the packages too. Replaces only links of Hob, atomically. Returns the obstacle,
 * if there is one.
 */
export async function linkModules(folder: string, target: string): Promise<Text | null> {
  const link = join(folder, 'node_modules');
  try {
    if (await pointsTo(link, target)) return null;
    const draft = join(folder, `.node_modules-${randomBytes(4).toString('hex')}`);
    // A junction needs no privileges on Windows, and is a plain link elsewhere.
    await symlink(target, draft, 'junction');
    try {
      await replace(draft, link);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return null;
  } catch (error) {
    return describeObstacle(folder, errnoOf(error) ?? String(error));
  }
}

/** Whether the link is correct or can be created, checked before a long build. */
export async function findObstacle(folder: string): Promise<Text | null> {
  try {
    await access(folder, constants.W_OK);
    return null;
  } catch (error) {
    return describeObstacle(folder, errnoOf(error) ?? String(error));
  }
}

async function pointsTo(link: string, target: string): Promise<boolean> {
  const now = await readlink(link).catch(() => null);
  return now?.replace(/[\\/]$/, '') === target;
}

async function replace(draft: string, link: string): Promise<void> {
  if (process.platform === 'win32') {
    // Windows cannot rename over a junction.
    await unlink(link).catch(() => {});
  }
  // Fails if a folder exists: files of the user stay.
  await rename(draft, link);
}

function describeObstacle(folder: string, errno: string): Text {
  return {
    en: `The packages of the script cannot be linked: Hob cannot create a link in ${folder} (${errno}). Make that folder writable, or run npm install in it.`,
    zh: `无法放置脚本的依赖：不能在 ${folder} 中创建链接（${errno}）。请使该文件夹可写，或在其中运行 npm install。`,
  };
}
