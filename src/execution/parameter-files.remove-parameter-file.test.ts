import { chmod, chown, link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { asOrdinaryUser, canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { parameterDraftName, parameterFileName, removeParameterFile } from './parameter-files.ts';

const canLock = has('another user, for permissions (root on Linux)', canBecomeOrdinary);

async function withSecret() {
  const runs = await tempFolder();
  await chown(runs, ordinaryUser, ordinaryUser).catch(() => {});
  const path = join(runs, 'run');
  const folder = { path, parameterFile: join(path, parameterFileName) };
  await mkdir(path);
  await writeFile(folder.parameterFile, 'secret');
  return { runs, folder };
}

describe('the parameter file, at the end of a run,', () => {
  it('is removed, also when the script has put a folder or a link in its place', async () => {
    const { runs, folder } = await withSecret();
    await removeParameterFile(folder.path);
    expect(await readdir(folder.path)).toEqual([]);
    await mkdir(join(folder.parameterFile, 'inner'), { recursive: true });
    await removeParameterFile(folder.path);
    expect(await readdir(folder.path)).toEqual([]);
    await writeFile(join(runs, 'other'), 'kept');
    await symlink(join(runs, 'other'), folder.parameterFile);
    await removeParameterFile(folder.path);
    expect(await readdir(folder.path)).toEqual([]);
    expect(await readFile(join(runs, 'other'), 'utf8')).toBe('kept');
  });

  it('is removed with the draft of a service that was killed while it renewed the file', async () => {
    const { folder } = await withSecret();
    await writeFile(join(folder.path, parameterDraftName), 'secret');
    await removeParameterFile(folder.path);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('is not removed through a link that replaces the folder', async () => {
    const { runs, folder } = await withSecret();
    await rename(folder.path, join(runs, 'other'));
    await symlink('other', folder.path);
    await removeParameterFile(folder.path);
    expect(await readFile(join(runs, 'other', 'params.json'), 'utf8')).toBe('secret');
  });

  it.skipIf(!canLock)('is removed from a folder whose permissions the script has restricted', async () => {
    const { folder } = await withSecret();
    for (const mode of [0o500, 0o000]) {
      await writeFile(folder.parameterFile, 'secret');
      await chown(folder.path, ordinaryUser, ordinaryUser);
      await chmod(folder.path, mode);
      await asOrdinaryUser(() => removeParameterFile(folder.path));
      expect(await readdir(folder.path)).toEqual([]);
    }
  });

  it.skipIf(!canLock)(
    'is emptied if it cannot be removed, and the removal fails if it has a second hard link',
    async () => {
      const { runs, folder } = await withSecret();
      await chown(folder.parameterFile, ordinaryUser, ordinaryUser);
      await chmod(folder.parameterFile, 0o400);
      await link(folder.parameterFile, join(runs, 'other'));
      await expect(asOrdinaryUser(() => removeParameterFile(folder.path))).rejects.toThrow('EACCES');
      expect(await readFile(folder.parameterFile, 'utf8')).toBe('secret');
      const { folder: alone } = await withSecret();
      await chown(alone.parameterFile, ordinaryUser, ordinaryUser);
      await chmod(alone.parameterFile, 0o400);
      await asOrdinaryUser(() => removeParameterFile(alone.path));
      expect(await readFile(alone.parameterFile, 'utf8')).toBe('');
    },
  );
});
