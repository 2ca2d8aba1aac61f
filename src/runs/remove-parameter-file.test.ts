import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { asOrdinaryUser, canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { removeParameterFile } from './remove-parameter-file.ts';
import { type RunFolder, runFolderAt } from './run-folder.ts';

const canLock = has('another user, for permissions (root on Linux)', canBecomeOrdinary);
const log = pino({ level: 'silent' });

function asRun(folder: RunFolder, parameterFile = folder.parameterFile) {
  return { folder, parameterFile, log };
}

async function withSecret() {
  const runs = await tempFolder();
  await chown(runs, ordinaryUser, ordinaryUser).catch(() => {});
  const folder = runFolderAt(runs, 'run');
  await mkdir(folder.path);
  await writeFile(folder.parameterFile, 'secret');
  return { runs, folder };
}

describe('the parameter file, at the end of a run,', () => {
  it('is removed, also when the script has put a folder or a link in its place', async () => {
    const { runs, folder } = await withSecret();
    await removeParameterFile(asRun(folder));
    expect(await readdir(folder.path)).toEqual([]);
    await mkdir(join(folder.parameterFile, 'inner'), { recursive: true });
    await removeParameterFile(asRun(folder));
    expect(await readdir(folder.path)).toEqual([]);
    await writeFile(join(runs, 'other'), 'kept');
    await symlink(join(runs, 'other'), folder.parameterFile);
    await removeParameterFile(asRun(folder));
    expect(await readdir(folder.path)).toEqual([]);
    expect(await readFile(join(runs, 'other'), 'utf8')).toBe('kept');
  });

  it('is removed from memory, or from the folder if it is not in memory', async () => {
    const { folder } = await withSecret();
    const inMemory = join(await tempFolder(), 'run', 'params.json');
    await mkdir(dirname(inMemory));
    await writeFile(inMemory, 'secret');
    await removeParameterFile(asRun(folder, inMemory));
    expect(existsSync(dirname(inMemory))).toBe(false);
    expect(await readdir(folder.path)).toEqual(['params.json']);
    await removeParameterFile(asRun(folder, inMemory));
    expect(await readdir(folder.path)).toEqual([]);
    await mkdir(join(inMemory, 'inner'), { recursive: true });
    await removeParameterFile(asRun(folder, inMemory));
    expect(existsSync(dirname(inMemory))).toBe(false);
  });

  it('leaves what the script has put beside it in memory to the folder of the run, unless that is there', async () => {
    const { folder } = await withSecret();
    await rm(folder.parameterFile);
    await writeFile(folder.stdoutLog, 'the log');
    const memory = join(await tempFolder(), 'run');
    await mkdir(join(memory, 'inner'), { recursive: true });
    for (const name of ['params.json', 'result.json', 'stdout.log', 'inner/文件 1'])
      await writeFile(join(memory, name), name);
    await symlink('/nowhere', join(memory, 'link'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(memory, 'pipe')]);
    await removeParameterFile(asRun(folder, join(memory, 'params.json')));
    expect(existsSync(memory)).toBe(false);
    expect((await readdir(folder.path)).sort()).toEqual(['inner', 'link', 'result.json', 'stdout.log']);
    expect(await readFile(folder.stdoutLog, 'utf8')).toBe('the log');
    expect(await readFile(join(folder.path, 'inner', '文件 1'), 'utf8')).toBe('inner/文件 1');
    expect(await readlink(join(folder.path, 'link'))).toBe('/nowhere');
  });

  it('is not looked for by way of a link in the place of the folder', async () => {
    const { runs, folder } = await withSecret();
    await rename(folder.path, join(runs, 'other'));
    await symlink('other', folder.path);
    await removeParameterFile(asRun(folder));
    expect(await readFile(join(runs, 'other', 'params.json'), 'utf8')).toBe('secret');
  });

  it.skipIf(!canLock)('is removed from a folder that the script has locked', async () => {
    const { folder } = await withSecret();
    for (const mode of [0o500, 0o000]) {
      await writeFile(folder.parameterFile, 'secret');
      await chown(folder.path, ordinaryUser, ordinaryUser);
      await chmod(folder.path, mode);
      await asOrdinaryUser(() => removeParameterFile(asRun(folder)));
      expect(await readdir(folder.path)).toEqual([]);
    }
  });

  it.skipIf(!canLock)(
    'says nothing any more when it has to stay, unless it is another file, too',
    async () => {
      const { runs, folder } = await withSecret();
      await chown(folder.parameterFile, ordinaryUser, ordinaryUser);
      await chmod(folder.parameterFile, 0o400);
      await link(folder.parameterFile, join(runs, 'other'));
      await asOrdinaryUser(() => removeParameterFile(asRun(folder)));
      expect(await readFile(folder.parameterFile, 'utf8')).toBe('secret');
      const { folder: alone } = await withSecret();
      await chown(alone.parameterFile, ordinaryUser, ordinaryUser);
      await chmod(alone.parameterFile, 0o400);
      await asOrdinaryUser(() => removeParameterFile(asRun(alone)));
      expect(await readFile(alone.parameterFile, 'utf8')).toBe('');
    },
  );
});
