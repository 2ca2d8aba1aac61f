import { createHash } from 'node:crypto';
import { lstatSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { removeFolder } from '../shared/remove-folder.ts';

const memoryFileSystem = '/dev/shm';
/** A link in that folder that points to the home. */
const homeLink = 'home';

/**
 * Releases up to 0.1 kept some parameter files in shared memory. Removes these files, except those of runs that still
 * execute, which a later start removes. Delete this function one release after 0.1.
 */
export async function removeMemoryFolder(home: string, isLive: (runId: string) => boolean): Promise<void> {
  const folder = memoryFolderOf(home);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  // Every user may create files in this file system.
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return;
  const runIds = (await readdir(folder)).filter((name) => name !== homeLink);
  const ended = runIds.filter((runId) => !isLive(runId));
  for (const runId of ended) await removeFolder(join(folder, runId));
  if (ended.length < runIds.length) return;
  rmSync(join(folder, homeLink), { force: true });
  rmdirSync(folder);
}

export function memoryFolderOf(home: string): string {
  const { dev, ino } = statSync(home);
  const hash = createHash('sha256').update(`${dev}:${ino}:${home}`).digest('hex');
  return join(memoryFileSystem, `hob-${process.getuid?.()}-${hash.slice(0, 16)}`);
}
