import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { nestFolders } from '../../test/support/scripts.ts';
import { folderBytes } from './folder-size.ts';

const large = 3_000_000;

describe('what a folder takes', () => {
  it('is what is in it, at any level', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'a', 'b', 'file'), Buffer.alloc(large, 1));
    for (let file = 0; file < 100; file++) await writeFile(join(folder, 'a', `${file}`), 'x');
    expect(await folderBytes(folder)).toBeGreaterThanOrEqual(large);
  });

  it('has nothing of what a link leads to, also when it is one itself', async () => {
    const parent = await tempFolder();
    await mkdir(join(parent, 'other'));
    await writeFile(join(parent, 'other', 'file'), Buffer.alloc(large, 1));
    await mkdir(join(parent, 'folder'));
    await symlink(join(parent, 'other'), join(parent, 'folder', 'link'));
    await symlink(join(parent, 'other'), join(parent, 'link'));
    for (const name of ['folder', 'link', 'nothing'])
      expect(await folderBytes(join(parent, name)), name).toBeLessThan(large / 10);
  });

  it('is known as far as it can be seen of folders that are too deep', async () => {
    const folder = await tempFolder();
    nestFolders(folder, 2000);
    await writeFile(join(folder, 'file'), Buffer.alloc(large, 1));
    expect(await folderBytes(folder)).toBeGreaterThanOrEqual(large);
  });

  it('is not looked for any longer once the signal is aborted', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'inner'));
    const leaving = new AbortController();
    const size = folderBytes(folder, leaving.signal);
    leaving.abort();
    await expect(size).rejects.toBe(leaving.signal.reason);
  });
});
