import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { memoryFolderOf, removeMemoryFolder } from '../execution/parameter-files.ts';

const hasMemory = has('a file system in memory (/dev/shm)', existsSync('/dev/shm'));

describe.skipIf(!hasMemory)('the folder of an older release in shared memory', () => {
  async function withFiles(...runIds: string[]) {
    const home = await tempFolder();
    const folder = memoryFolderOf(home);
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await mkdir(folder, { mode: 0o700 });
    await symlink(home, join(folder, 'home'));
    for (const runId of runIds) {
      await mkdir(join(folder, runId));
      await writeFile(join(folder, runId, 'params.json'), 'secret');
    }
    return { home, folder };
  }

  it('is removed with all its content', async () => {
    const { home, folder } = await withFiles('one', 'two');
    await removeMemoryFolder(home, () => false);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(home)).toBe(true);
    await removeMemoryFolder(home, () => false);
  });

  it('keeps the files of runs that still execute', async () => {
    const { home, folder } = await withFiles('one', 'two');
    await removeMemoryFolder(home, (runId) => runId === 'two');
    expect((await readdir(folder)).toSorted()).toEqual(['home', 'two']);
  });

  it('is left alone if a link has its name', async () => {
    const [home, target] = [await tempFolder(), await tempFolder()];
    await writeFile(join(target, 'kept'), '');
    onTestFinished(() => rm(memoryFolderOf(home), { force: true }));
    await symlink(target, memoryFolderOf(home));
    await removeMemoryFolder(home, () => false);
    expect(await readdir(target)).toEqual(['kept']);
  });
});
