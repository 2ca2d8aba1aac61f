import { chmod, chown, lchown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { prepareHome } from './prepare-home.ts';

const canChown = has('another user, for permissions (root on Linux)', canBecomeOrdinary);
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

async function homeOf(mode: number): Promise<string> {
  const home = join(await tempFolder(), 'home');
  await mkdir(home);
  await chmod(home, mode);
  return home;
}

/** A text whose English part matches. */
const english = (pattern: RegExp) => expect.objectContaining({ en: expect.stringMatching(pattern) });

describe('a home', () => {
  it('is created with its parents, all private, if it does not exist', async () => {
    const parent = join(await tempFolder(), 'share');
    const home = join(parent, 'hob');
    expect(await prepareHome(home)).toEqual({ kind: 'ready', warning: null });
    for (const path of [parent, home, join(home, 'runs'), join(home, 'executor')])
      expect([path, await modeOf(path)]).toEqual([path, 0o700]);
  });

  it.each([
    [0o755, /other users can access the home/],
    [0o710, /other users can access the home/],
    [0o775, /the group of the home can write to it/],
  ])('that its user created with the mode %o stays unchanged, with a warning', async (mode, warning) => {
    const home = await homeOf(mode);
    expect(await prepareHome(home)).toEqual({ kind: 'ready', warning: english(warning) });
    expect(await modeOf(home)).toBe(mode);
  });

  it.each([0o777, 0o702, 0o1777])('that every user can write to is refused: %o', async (mode) => {
    const home = await homeOf(mode);
    const reason = english(/Every user of this machine can write.*chmod o-w/);
    expect(await prepareHome(home)).toEqual({ kind: 'unusable', reason });
    await expect(stat(join(home, 'runs'))).rejects.toThrow();
  });

  it.skipIf(!canChown)('that belongs to another user is refused', async () => {
    const home = await homeOf(0o700);
    await chown(home, ordinaryUser, ordinaryUser);
    const reason = english(/belongs to another user \(id 65534\)/);
    expect(await prepareHome(home)).toEqual({ kind: 'unusable', reason });
  });

  it('is refused if a file has its path', async () => {
    const path = join(await tempFolder(), 'file');
    await writeFile(path, '');
    expect(await prepareHome(path)).toEqual({
      kind: 'unusable',
      reason: english(/cannot be created or written to \(EEXIST\)/),
    });
  });
});

describe('the private folders of Hob', () => {
  it('become private, with any previous mode', async () => {
    const home = await homeOf(0o700);
    for (const name of ['runs', 'executor', 'scripts']) {
      await mkdir(join(home, name));
      await chmod(join(home, name), 0o777);
    }
    expect(await prepareHome(home)).toMatchObject({ kind: 'ready' });
    expect(await modeOf(join(home, 'runs'))).toBe(0o700);
    expect(await modeOf(join(home, 'executor'))).toBe(0o700);
    // The folder with scripts belongs to the user.
    expect(await modeOf(join(home, 'scripts'))).toBe(0o777);
  });

  it('may be links to other folders of the user', async () => {
    const [home, disk] = [await homeOf(0o700), await homeOf(0o755)];
    await symlink(disk, join(home, 'runs'));
    expect(await prepareHome(home)).toMatchObject({ kind: 'ready' });
    expect(await modeOf(disk)).toBe(0o700);
  });

  it.skipIf(!canChown)('may not belong to another user, neither the folder nor a link to it', async () => {
    const [foreign, linked, disk] = [await homeOf(0o700), await homeOf(0o700), await homeOf(0o755)];
    await mkdir(join(foreign, 'runs'));
    await chown(join(foreign, 'runs'), ordinaryUser, ordinaryUser);
    await symlink(disk, join(linked, 'runs'));
    await lchown(join(linked, 'runs'), ordinaryUser, ordinaryUser);
    for (const home of [foreign, linked]) {
      const reason = english(/The folder .*runs belongs to another user/);
      expect(await prepareHome(home)).toEqual({ kind: 'unusable', reason });
    }
    expect(await modeOf(disk)).toBe(0o755);
  });
});
