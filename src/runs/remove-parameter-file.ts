import { constants, rmdirSync, unlinkSync } from 'node:fs';
import { chmod, cp, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { permitted, removeFolder } from '../shared/remove-folder.ts';
import { isOwnFolder } from './own-folder.ts';
import type { RunFolder } from './run-folder.ts';

interface RunWithFiles {
  readonly folder: RunFolder;
  readonly parameterFile: string;
  readonly log: Logger;
}

/** Secrets live in the parameter file alone, and end with the run, whatever the script has put in its place. */
export async function removeParameterFile({ folder, parameterFile, log }: RunWithFiles): Promise<void> {
  if (parameterFile === folder.parameterFile) {
    await remove(parameterFile, log);
    return;
  }
  // Of a run of an earlier service it is not known whether there was room in memory.
  if (!(await remove(parameterFile, log))) await remove(folder.parameterFile, log);
  await clear({ folder, parameterFile, log });
}

/** What a script has put beside its parameter file is kept with its run, where it would be if the file were. */
async function clear({ folder, parameterFile, log }: RunWithFiles): Promise<void> {
  const memory = dirname(parameterFile);
  try {
    rmdirSync(memory);
    return;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
  }
  try {
    if (isOwnFolder(memory) && isOwnFolder(folder.path))
      await cp(memory, folder.path, {
        recursive: true,
        force: false,
        verbatimSymlinks: true,
        // If that could not be removed, it must not get to the disk now.
        filter: async (path) => path !== parameterFile && (await canBeKept(path)),
      });
    await removeFolder(memory);
  } catch (error) {
    log.warn({ err: error, memory }, 'what a script has put beside its parameter file could not be kept');
  }
}

/** What is no file is of no use to anybody once the run is over. */
async function canBeKept(path: string): Promise<boolean> {
  const found = await lstat(path);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
}

/** Removes what was prepared for a run that is refused. A folder that has to stay is swept up at the next start. */
export async function discardRunFolder(run: RunWithFiles): Promise<void> {
  await removeParameterFile(run);
  await removeFolder(run.folder.path).catch((error: unknown) => {
    run.log.warn({ err: error }, 'the folder of a refused run could not be removed yet');
  });
}

/** Returns whether something was there that is gone now. */
async function remove(file: string, log: Logger): Promise<boolean> {
  const folder = dirname(file);
  if (!isOwnFolder(folder)) return false;
  try {
    // It is a file nearly always.
    unlinkSync(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
  }
  try {
    await permitted([folder], () => removeFolder(file));
    return true;
  } catch (error) {
    const isBlank = await blank(file).catch(() => false);
    log.error({ err: error, isBlank }, 'the parameter file could not be removed');
    return false;
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
