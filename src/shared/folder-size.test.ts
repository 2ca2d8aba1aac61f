import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { nestFolders } from '../../test/support/scripts.ts';
import { folderBytes } from './folder-size.ts';

const large = 3_000_000;

describe('the size of a folder', () => {
  it('includes its content at any level', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'a', 'b', 'file'), Buffer.alloc(large, 1));
    for (let file = 0; file < 100; file++) await writeFile(join(folder, 'a', `${file}`), 'x');
    expect(await folderBytes(folder)).toBeGreaterThanOrEqual(large);
  });

  it('excludes the targets of links, also if the path itself is a link', async () => {
    const parent = await tempFolder();
    await mkdir(join(parent, 'other'));
    await writeFile(join(parent, 'other', 'file'), Buffer.alloc(large, 1));
    await mkdir(join(parent, 'folder'));
    await symlink(join(parent, 'other'), join(parent, 'folder', 'link'));
    await symlink(join(parent, 'other'), join(parent, 'link'));
    for (const name of ['folder', 'link', 'nothing'])
      expect(await folderBytes(join(parent, name)), name).toBeLessThan(large / 10);
  });

  it('includes the readable part of folders that are nested too deeply', async () => {
    const folder = await tempFolder();
    nestFolders(folder, 2000);
    await writeFile(join(folder, 'file'), Buffer.alloc(large, 1));
    expect(await folderBytes(folder)).toBeGreaterThanOrEqual(large);
  });

  it('is no longer computed once the signal is aborted', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'inner'));
    const leaving = new AbortController();
    const size = folderBytes(folder, leaving.signal);
    leaving.abort();
    await expect(size).rejects.toBe(leaving.signal.reason);
  });
});
