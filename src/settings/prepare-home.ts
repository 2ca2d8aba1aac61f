import type { Stats } from 'node:fs';
import { chmod, lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { forOthers, makePrivateFolder } from '../shared/private-files.ts';

/** Hob's own, with what its scripts are told and say; the other folders in the home are their user's as well. */
const ownFolders = ['runs', 'executor'];

const othersMayWrite = 0o002;
const groupMayWrite = 0o020;

export type PreparedHome =
  /** `warning`: what its user should know about it. */
  | { kind: 'ready'; warning: string | null }
  /** `reason`: why it cannot be used, and what to do about it. */
  | { kind: 'unusable'; reason: string };

/**
 * Makes the home, and the folders in it that are Hob's own, private. A home that is there already was made by its user, and stays as
 * open as it is, but not to everybody's writing: whoever can put a script into it, or a link in the place of a file, acts as its user.
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
    const reason = `The home ${home} cannot be made or written to (${errnoOf(error)}). Choose another with --home.`;
    return { kind: 'unusable', reason };
  }
}

/** Makes the home if there is none. Returns why nobody should keep anything in it. */
export async function faultOfHome(home: string): Promise<string | null> {
  await makePrivateFolder(home, { existing: true });
  return faultOf(home, await stat(home));
}

/** Why nobody should keep anything in a home that is there. */
export function faultOf(home: string, { uid, mode }: Stats): string | null {
  // On Windows the rights of the user's own folder apply, and the mode says nothing.
  if (process.geteuid === undefined) return null;
  if (isForeign(uid)) return foreignText(`The home ${home}`, uid);
  if ((mode & othersMayWrite) === 0) return null;
  return (
    `Every user of this machine may write to the home ${home}, and so could make Hob run their programs as you. ` +
    `Close it with: chmod o-w "${home}", or choose another with --home.`
  );
}

/** What its user should know about a home that can be used. */
export function warningOf(home: string, { mode }: Stats): string | null {
  if (process.geteuid === undefined) return null;
  if ((mode & groupMayWrite) !== 0)
    return `the group of the home may write to it; unless you are alone in it, close it with: chmod 700 "${home}"`;
  if ((mode & forOthers) === 0) return null;
  return `others may look into the home, though not into what Hob writes there; close it with: chmod 700 "${home}"`;
}

/** Makes a folder private, whoever made it. Returns why that is not possible. */
async function claimFolder(path: string): Promise<string | null> {
  await makePrivateFolder(path, { existing: true });
  if (process.geteuid === undefined) return null;
  // A link to another disk is fine, if it is the user's own, and leads to something that is.
  const [entry, folder] = [await lstat(path), await stat(path)];
  for (const { uid } of [entry, folder]) {
    if (isForeign(uid)) return foreignText(`The folder ${path}`, uid);
  }
  if ((folder.mode & forOthers) !== 0) await chmod(path, 0o700);
  return null;
}

/** The superuser can do everything here anyway. */
function isForeign(uid: number): boolean {
  return uid !== process.geteuid?.() && uid !== 0;
}

function foreignText(what: string, uid: number): string {
  return (
    `${what} belongs to another user (id ${uid}), who could make Hob run their programs as you. ` +
    `Make it your own (chown), start Hob as its owner, or choose another home with --home.`
  );
}
