import { randomBytes } from 'node:crypto';
import { access, constants, readlink, rename, rm, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';

/**
 * Puts the packages of an environment in their place: a link named `node_modules` in the script's folder. Not by a variable, for
 * ES modules heed none, and what the script starts in turn must find them too. Only links of our own are ever replaced, in one step.
 * Returns what is in the way, if anything.
 */
export async function linkModules(folder: string, target: string): Promise<Text | null> {
  const link = join(folder, 'node_modules');
  try {
    if (await pointsTo(link, target)) return null;
    const draft = join(folder, `.node_modules-${randomBytes(4).toString('hex')}`);
    // A junction needs no rights on Windows, and is a link elsewhere.
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

/** Whether a link could be made or is right already: better known before a long build than after it. */
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
    // Nothing can be renamed over a junction there.
    await unlink(link).catch(() => {});
  }
  // Over a folder this fails: what its user put there stays.
  await rename(draft, link);
}

function describeObstacle(folder: string, errno: string): Text {
  return {
    en: `The packages of the script cannot be linked: Hob cannot create a link in ${folder} (${errno}). Make that folder writable, or run npm install in it.`,
    zh: `无法放置脚本的依赖：不能在 ${folder} 中创建链接（${errno}）。请使该文件夹可写，或在其中运行 npm install。`,
  };
}
