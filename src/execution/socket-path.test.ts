import { chmod, chown, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { chooseSocketPath, removeSocketFolder } from './socket-path.ts';

const canChown = has('another user, for permissions (root on Linux)', canBecomeOrdinary);

async function useTemp(): Promise<string> {
  const folder = await tempFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return folder;
}

const tooLong = `/${'long'.repeat(40)}`;
const addressOf = (socket: string) => JSON.stringify({ pid: 1, socket, secret: 'x' });

describe('the place of a socket', () => {
  it('is the folder itself where its path is short enough', async () => {
    const temp = await useTemp();
    expect((await chooseSocketPath('/home/ada/hob', 'x')).socketPath).toBe('/home/ada/hob/x.sock');
    expect(await readdir(temp)).toEqual([]);
  });

  it('is otherwise a private folder with a name that nobody can foresee, and that goes with it', async () => {
    const temp = await useTemp();
    const [one, two] = [await chooseSocketPath(tooLong, 'x'), await chooseSocketPath(tooLong, 'x')];
    expect(one.socketPath).not.toBe(two.socketPath);
    expect(dirname(dirname(one.socketPath))).toBe(temp);
    expect((await lstat(dirname(one.socketPath))).mode & 0o777).toBe(0o700);
    await writeFile(one.socketPath, '');
    for (const place of [one, two]) await place.cleanUp();
    expect(await readdir(temp)).toEqual([]);
  });
});

describe('what a killed executor left in the temporary folder', () => {
  it('is removed by its address', async () => {
    const temp = await useTemp();
    const { socketPath } = await chooseSocketPath(tooLong, 'x');
    await writeFile(socketPath, '');
    await removeSocketFolder(addressOf(socketPath));
    expect(await readdir(temp)).toEqual([]);
  });

  it('is left alone where there is more in it than a socket', async () => {
    const temp = await useTemp();
    const folder = join(temp, 'hob-others');
    await mkdir(folder, { mode: 0o700 });
    await writeFile(join(folder, 'thesis.txt'), 'ten years');
    await removeSocketFolder(addressOf(join(folder, 'executor.sock')));
    expect(await readFile(join(folder, 'thesis.txt'), 'utf8')).toBe('ten years');
  });

  it('is left alone where a link has taken its name', async () => {
    const temp = await useTemp();
    const target = join(temp, 'target');
    await mkdir(target, { mode: 0o700 });
    await writeFile(join(target, 'executor.sock'), '');
    await symlink(target, join(temp, 'hob-link'));
    await removeSocketFolder(addressOf(join(temp, 'hob-link', 'executor.sock')));
    expect((await readdir(temp)).toSorted()).toEqual(['hob-link', 'target']);
    expect(await readdir(target)).toEqual(['executor.sock']);
  });

  it.skipIf(!canChown)('is left alone where others own it, or may write to it', async () => {
    const temp = await useTemp();
    for (const name of ['hob-foreign', 'hob-open']) {
      await mkdir(join(temp, name), { mode: 0o700 });
      await writeFile(join(temp, name, 'executor.sock'), '');
    }
    await chown(join(temp, 'hob-foreign'), ordinaryUser, ordinaryUser);
    await chmod(join(temp, 'hob-open'), 0o777);
    for (const name of ['hob-foreign', 'hob-open']) {
      await removeSocketFolder(addressOf(join(temp, name, 'executor.sock')));
      expect(await readdir(join(temp, name))).toEqual(['executor.sock']);
    }
  });

  it.each(['{}', '', addressOf('/home/ada/hob/1-x.sock'), addressOf('executor.sock')])(
    'is nothing where the address says so: %s',
    async (address) => {
      await expect(removeSocketFolder(address)).resolves.toBeUndefined();
    },
  );
});
