import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { asOrdinaryUser, canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { AppError } from '../shared/errors.ts';
import { listFolder } from './folders.ts';

async function codeOf(listing: Promise<unknown>): Promise<string> {
  const error: unknown = await listing.catch((reason: unknown) => reason);
  if (error instanceof AppError) return error.code;
  throw new Error(`not refused: ${String(error)}`);
}

describe('a folder is listed', () => {
  it('with folders first, then names in natural order', async () => {
    const folder = await tempFolder();
    for (const name of ['10.png', '2.png', '说明.txt', '.hidden']) await writeFile(join(folder, name), 'abc');
    await mkdir(join(folder, 'z'));
    const { entries, path, parent, isComplete } = await listFolder(`${folder}/z/..`);
    expect(entries.map(({ name }) => name)).toEqual(['z', '.hidden', '2.png', '10.png', '说明.txt']);
    expect(entries[0]).toMatchObject({ kind: 'folder', sizeBytes: null });
    expect(entries[2]).toMatchObject({ kind: 'file', sizeBytes: 3, isLink: false });
    expect({ path, isComplete }).toEqual({ path: folder, isComplete: true });
    expect(folder.startsWith(String(parent))).toBe(true);
  });

  it('with the kind of the target for links', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, 'away'));
    await symlink('nowhere', join(folder, 'broken'));
    const { entries } = await listFolder(folder);
    expect(entries.map(({ name, kind, isLink }) => [name, kind, isLink])).toEqual([
      ['away', 'folder', true],
      ['real', 'folder', false],
      ['broken', 'other', true],
    ]);
    expect((await listFolder(join(folder, 'away'))).entries).toEqual([]);
  });

  it('up to a maximum number of entries, and reports whether there are more', async () => {
    const folder = await tempFolder();
    for (let index = 0; index < 40; index += 1) await writeFile(join(folder, `${index}`), '');
    const cut = await listFolder(folder, { most: 35 });
    expect([cut.entries.length, cut.isComplete]).toEqual([35, false]);
    const whole = await listFolder(folder, { most: 40 });
    expect([whole.entries.length, whole.isComplete]).toEqual([40, true]);
  });

  it("from the user's home folder by default", async () => {
    expect((await listFolder(null)).path).toBe(homedir());
    expect((await listFolder('~')).path).toBe(homedir());
    expect((await listFolder('/')).parent).toBe(null);
  });
});

describe('a folder is refused', () => {
  it('when it does not exist, is a file, or its path is relative', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    expect(await codeOf(listFolder(join(folder, 'none')))).toBe('folder-unknown');
    expect(await codeOf(listFolder(join(folder, 'file')))).toBe('folder-invalid');
    expect(await codeOf(listFolder(join(folder, 'x'.repeat(300))))).toBe('folder-unknown');
    expect(await codeOf(listFolder('here'))).toBe('field-invalid');
  });

  it('when Hob has no permission to read it', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'locked'));
    await chmod(join(folder, 'locked'), 0);
    if (canBecomeOrdinary) await chown(folder, ordinaryUser, ordinaryUser);
    const list = () => codeOf(listFolder(join(folder, 'locked')));
    expect(await (canBecomeOrdinary ? asOrdinaryUser(list) : list())).toBe('folder-unreadable');
  });
});
