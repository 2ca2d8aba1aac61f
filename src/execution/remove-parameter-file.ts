import { constants, unlinkSync } from 'node:fs';
import { chmod, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { isOwnFolder } from '../shared/private-files.ts';
import { permitted, removeFolder } from '../shared/remove-folder.ts';

/** The file in the folder of a run that contains its parameters, including all secrets. */
export const parameterFileName = 'params.json';
/** A new version of that file while it is being written. */
export const parameterDraftName = 'params.json.new';

/**
 * Removes the parameter file of a run, or anything that the script put in its place. Links are not followed. A file
 * that cannot be removed is emptied. Rejects if emptying fails, too.
 */
export async function removeParameterFile(runFolder: string): Promise<void> {
  if (!isOwnFolder(runFolder)) return;
  for (const name of [parameterFileName, parameterDraftName]) await remove(runFolder, name);
}

async function remove(folder: string, name: string): Promise<void> {
  const file = join(folder, name);
  if (isUnlinked(file)) return;
  try {
    await permitted([folder], () => removeFolder(file));
  } catch (error) {
    if (!(await isEmptied(file).catch(() => false))) throw error;
  }
}

/** Removes what is nearly always there: a file, or nothing. */
function isUnlinked(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/** Empties a file, unless it has a second hard link. Returns whether it was emptied. */
async function isEmptied(file: string): Promise<boolean> {
  if (!(await lstat(file)).isFile()) return false;
  await chmod(file, 0o600);
  const handle = await open(file, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.nlink !== 1) return false;
    await handle.truncate();
    return true;
  } finally {
    await handle.close();
  }
}
