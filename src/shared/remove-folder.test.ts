import { execFileSync } from 'node:child_process';
import { chmod, chown, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { asOrdinaryUser, canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { nestFolders } from '../../test/support/scripts.ts';
import { removeFolder } from './remove-folder.ts';

const canLock = has('another user, for permissions (root on Linux)', canBecomeOrdinary);

async function fill(folder: string, files: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let file = 0; file < files; file++) await writeFile(join(folder, `${file}`), 'x');
}

describe('removing a folder', () => {
  it('removes content of any kind, but not the targets of links', async () => {
    const parent = await tempFolder();
    const [folder, other] = [join(parent, 'folder'), join(parent, 'other')];
    await fill(folder, 100);
    await fill(join(folder, 'a', 'b', 'c'), 100);
    for (let each = 0; each < 50; each++) await fill(join(folder, 'many', `${each}`, 'inner'), 1);
    await fill(other, 2);
    await symlink(other, join(folder, 'link'));
    await symlink(other, join(folder, 'a', 'b', 'link'));
    await link(join(other, '0'), join(folder, 'a', 'hard'));
    execFileSync('mkfifo', [join(folder, 'a', 'pipe')]);
    await removeFolder(folder);
    expect(await readdir(parent)).toEqual(['other']);
    expect(await readdir(other)).toEqual(['0', '1']);
    expect(await readFile(join(other, '0'), 'utf8')).toBe('x');
  });

  it('removes only the link at a link, the file at a file, and does nothing for a missing path', async () => {
    const parent = await tempFolder();
    await fill(join(parent, 'other'), 2);
    await symlink(join(parent, 'other'), join(parent, 'link'));
    await writeFile(join(parent, 'file'), '');
    for (const name of ['link', 'file', 'nothing']) await removeFolder(join(parent, name));
    expect(await readdir(parent)).toEqual(['other']);
    expect(await readdir(join(parent, 'other'))).toEqual(['0', '1']);
  });

  it('works at any depth', async () => {
    const parent = await tempFolder();
    nestFolders(parent, 2000);
    await removeFolder(join(parent, 'level'));
    expect(await readdir(parent)).toEqual([]);
  });

  it('stops with the signal, and can be resumed', async () => {
    const parent = await tempFolder();
    await fill(join(parent, 'folder', 'inner'), 500);
    const leaving = new AbortController();
    const removal = removeFolder(join(parent, 'folder'), leaving.signal);
    leaving.abort();
    await expect(removal).rejects.toBe(leaving.signal.reason);
    expect(await readdir(parent)).toEqual(['folder']);
    await removeFolder(join(parent, 'folder'));
    expect(await readdir(parent)).toEqual([]);
  });

  it.skipIf(!canLock)('unlocks folders that their owner has locked', async () => {
    const parent = await tempFolder();
    await chown(parent, ordinaryUser, ordinaryUser);
    await asOrdinaryUser(async () => {
      const folder = join(parent, 'folder');
      await fill(join(folder, 'a', 'b', 'c'), 3);
      await fill(join(folder, 'none'), 3);
      await chmod(join(folder, 'a', 'b', 'c'), 0o500);
      await chmod(join(folder, 'a', 'b'), 0o000);
      await chmod(join(folder, 'none'), 0o000);
      await chmod(folder, 0o500);
      await removeFolder(folder);
      expect(await readdir(parent)).toEqual([]);
    });
  });

  it.skipIf(!canLock)('continues after an entry that cannot be removed, and reports it', async () => {
    const parent = await tempFolder();
    await chown(parent, ordinaryUser, ordinaryUser);
    const folder = join(parent, 'folder');
    await asOrdinaryUser(() => fill(join(folder, 'own', 'deep', 'deeper'), 40));
    await fill(join(folder, 'foreign'), 2);
    await asOrdinaryUser(async () => {
      await expect(removeFolder(folder)).rejects.toMatchObject({ code: 'EACCES' });
      expect(await readdir(folder)).toEqual(['foreign']);
    });
  });
});
