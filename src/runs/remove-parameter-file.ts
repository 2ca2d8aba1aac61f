import { constants, unlinkSync } from 'node:fs';
import { chmod, lstat, open } from 'node:fs/promises';

import { errnoOf } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { permitted, removeFolder } from '../shared/remove-folder.ts';
import { isOwnFolder } from './own-folder.ts';
import type { RunFolder } from './parameter-file.ts';

/** Secrets live in the parameter file alone, and end with the run, whatever the script has put in its place. */
export async function removeParameterFile(folder: RunFolder, log: Logger): Promise<void> {
  const { path, parameterFile } = folder;
  if (!isOwnFolder(path) || isUnlinked(parameterFile)) return;
  try {
    await permitted([path], () => removeFolder(parameterFile));
  } catch (error) {
    const isBlank = await blank(parameterFile).catch(() => false);
    log.error({ err: error, isBlank }, 'the parameter file could not be removed');
  }
}

/** Removes what was prepared for a run that is refused. A folder that has to stay is swept up at the next start. */
export async function discardRunFolder(folder: RunFolder, log: Logger): Promise<void> {
  await removeParameterFile(folder, log);
  await removeFolder(folder.path).catch((error: unknown) => {
    log.warn({ err: error }, 'the folder of a refused run could not be removed yet');
  });
}

/** Whether it was a file, as it nearly always is, or is gone. */
function isUnlinked(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/** Takes away what is in a file that has to stay. Returns whether it did: what may be the content of another file, too, is kept. */
async function blank(file: string): Promise<boolean> {
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
