import { constants, unlinkSync } from 'node:fs';
import { chmod, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { isOwnFolder } from '../shared/own-folder.ts';
import { permitted, removeFolder } from '../shared/remove-folder.ts';

/** The file in the folder of a run that holds its parameters, with all secrets. */
export const parameterFileName = 'params.json';
/** Its next content, until that is complete. */
export const parameterDraftName = 'params.json.new';

/**
 * Removes the parameter file of a run, or whatever the script has put in its place. Links are not followed. A file that has to stay is
 * emptied; rejects if that fails, too.
 */
export async function removeParameterFile(runFolder: string): Promise<void> {
  if (!isOwnFolder(runFolder)) return;
  for (const name of [parameterFileName, parameterDraftName]) await remove(runFolder, name);
}

async function remove(folder: string, name: string): Promise<void> {
  const file = join(folder, name);
  try {
    // It is a file nearly always.
    unlinkSync(file);
    return;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
  }
  try {
    await permitted([folder], () => removeFolder(file));
  } catch (error) {
    if (!(await isEmptied(file).catch(() => false))) throw error;
  }
}

/** Empties a file. Returns whether it did: content that another name leads to as well is kept. */
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
