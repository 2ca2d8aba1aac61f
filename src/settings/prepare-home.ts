import type { Stats } from 'node:fs';
import { chmod, lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { forOthers, makePrivateFolder } from '../shared/private-files.ts';
import type { Text } from '../shared/text.ts';

/** Private folders of Hob, with the parameters and output of scripts. The user may share the other folders. */
const ownFolders = ['runs', 'executor'];

const othersMayWrite = 0o002;
const groupMayWrite = 0o020;

export type PreparedHome =
  /** `warning`: a security hint for the user. */
  | { kind: 'ready'; warning: Text | null }
  /** `reason`: why the home cannot be used, and the next step. */
  | { kind: 'unusable'; reason: Text };

/**
 * Creates the home and its private folders. Hob does not change the permissions of an existing home, but refuses one that every
 * user can write to: a user who can add a script, or replace a file with a link, can act as the owner.
 */
export async function prepareHome(home: string): Promise<PreparedHome> {
  try {
    const reason = await faultOfHome(home);
    const found = await stat(home);
    if (reason !== null) return { kind: 'unusable', reason };
    for (const name of ownFolders) {
      const foreign = await claimFolder(join(home, name));
      if (foreign !== null) return { kind: 'unusable', reason: foreign };
    }
    return { kind: 'ready', warning: warningOf(home, found) };
  } catch (error) {
    const reason = {
      en: `The home ${home} cannot be created or written to (${errnoOf(error)}). Choose another with --home.`,
      zh: `无法创建或写入数据目录 ${home}（${errnoOf(error)}）。请用 --home 指定其他目录。`,
    };
    return { kind: 'unusable', reason };
  }
}

/** Creates the home if it is missing. Returns why it is not safe to use, or null. */
export async function faultOfHome(home: string): Promise<Text | null> {
  await makePrivateFolder(home, { existing: true });
  return faultOf(home, await stat(home));
}

/** Returns why an existing home is not safe to use, or null. */
export function faultOf(home: string, { uid, mode }: Stats): Text | null {
  // On Windows, the permissions of the user folder apply, and the mode is meaningless.
  if (process.geteuid === undefined) return null;
  if (isForeign(uid)) return foreignText({ en: `The home ${home}`, zh: `数据目录 ${home} ` }, uid);
  if ((mode & othersMayWrite) === 0) return null;
  return {
    en:
      `Every user of this machine can write to the home ${home}, and so can make Hob run their programs as you. ` +
      `Remove their access with chmod o-w "${home}", or choose another home with --home.`,
    zh:
      `这台电脑上的所有用户都可以写入数据目录 ${home}，因而能让 Hob 以您的身份运行他们的程序。` +
      `请运行 chmod o-w "${home}" 收回权限，或用 --home 指定其他目录。`,
  };
}

/** Returns a security hint about a usable home, or null. */
export function warningOf(home: string, { mode }: Stats): Text | null {
  if (process.geteuid === undefined) return null;
  if ((mode & groupMayWrite) !== 0)
    return {
      en: `the group of the home can write to it; if the group has other members, remove their access with: chmod 700 "${home}"`,
      zh: `同组用户可以写入数据目录；如果组内还有其他人，请运行 chmod 700 "${home}" 收回权限`,
    };
  if ((mode & forOthers) === 0) return null;
  return {
    en: `other users can access the home, but cannot read the files that Hob writes; remove their access with: chmod 700 "${home}"`,
    zh: `其他用户可以查看数据目录，但看不到 Hob 写入的内容；请运行 chmod 700 "${home}" 收回权限`,
  };
}

/** Makes a folder private. Returns why that is not possible, or null. */
async function claimFolder(path: string): Promise<Text | null> {
  await makePrivateFolder(path, { existing: true });
  if (process.geteuid === undefined) return null;
  // A link to another disk is allowed if both the link and its target belong to the user.
  const [entry, folder] = [await lstat(path), await stat(path)];
  for (const { uid } of [entry, folder]) {
    if (isForeign(uid)) return foreignText({ en: `The folder ${path}`, zh: `文件夹 ${path} ` }, uid);
  }
  if ((folder.mode & forOthers) !== 0) await chmod(path, 0o700);
  return null;
}

/** Files of root are accepted, because root has full access anyway. */
function isForeign(uid: number): boolean {
  return uid !== process.geteuid?.() && uid !== 0;
}

function foreignText(what: Text, uid: number): Text {
  return {
    en:
      `${what.en} belongs to another user (id ${uid}), who can make Hob run their programs as you. ` +
      `Make yourself its owner (chown), start Hob as its owner, or choose another home with --home.`,
    zh:
      `${what.zh}属于其他用户（id ${uid}），对方能让 Hob 以您的身份运行他们的程序。` +
      `请用 chown 改为自己所有、以其所有者的身份启动 Hob，或用 --home 指定其他数据目录。`,
  };
}
