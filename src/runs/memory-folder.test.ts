import { existsSync, rmSync } from 'node:fs';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { MemoryFolder, memoryFolderOf } from './memory-folder.ts';

const log = pino({ level: 'silent' });
const hasMemory = has('a file system in memory (/dev/shm)', existsSync('/dev/shm'));
const canChangeUser = has('another user, for permissions (root on Linux)', canBecomeOrdinary);
const [one, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

async function newHome(): Promise<string> {
  const home = await tempFolder();
  const path = memoryFolderOf(home);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return home;
}

function opened(home: string, takesFiles = true): MemoryFolder {
  const folder = MemoryFolder.open(home, { takesFiles, log });
  if (folder === null) throw new Error('there is no folder in memory');
  return folder;
}

async function modeOf(path: string): Promise<number> {
  return (await lstat(path)).mode & 0o777;
}

describe.skipIf(!hasMemory)('the folder in memory', () => {
  it('has private files, says whose it is, and is gone when it is closed without any', async () => {
    const home = await newHome();
    const folder = opened(home);
    expect(folder.write(one, '中文')).toBe(true);
    expect(await readFile(folder.fileOf(one), 'utf8')).toBe('中文');
    const paths = [folder.path, join(folder.path, one), folder.fileOf(one)];
    expect(await Promise.all(paths.map(modeOf))).toEqual([0o700, 0o700, 0o600]);
    expect(await readlink(join(folder.path, 'home'))).toBe(home);
    folder.close();
    expect(existsSync(folder.fileOf(one))).toBe(true);
    rmSync(join(folder.path, one), { recursive: true });
    folder.close();
    expect(existsSync(folder.path)).toBe(false);
    folder.close();
  });

  it('is found again by the next service, which removes what nobody needs any more, and nothing else', async () => {
    const home = await newHome();
    const earlier = opened(home);
    for (const runId of [one, other]) earlier.write(runId, 'text');
    await writeFile(join(earlier.path, 'not of ours'), '');
    for (const takesFiles of [true, false]) {
      opened(home, takesFiles).sweep((runId) => runId === one);
      expect((await readdir(earlier.path)).sort()).toEqual([one, 'home', 'not of ours']);
    }
    await writeFile(join(earlier.path, one, 'of the script'), '');
    opened(home).sweep(() => false);
    expect(await readdir(join(earlier.path, one))).toEqual(['of the script']);
    expect(memoryFolderOf(await newHome())).not.toBe(earlier.path);
  });

  it('takes no file that is large, or there already, nor any when it is told so', async () => {
    const home = await newHome();
    const folder = opened(home);
    expect(folder.write(one, 'x'.repeat(64 * 1024))).toBe(true);
    expect(folder.write(other, 'x'.repeat(64 * 1024 + 1))).toBe(false);
    expect(folder.write(other, '文'.repeat(32 * 1024))).toBe(false);
    expect(existsSync(join(folder.path, other))).toBe(false);
    await symlink('/nowhere', join(folder.path, other));
    expect(folder.write(other, 'text')).toBe(false);
    expect(opened(home, false).write(other, 'text')).toBe(false);
  });

  it('is made again when it was cleared away, and private again when it was opened', async () => {
    const home = await newHome();
    const folder = opened(home);
    rmSync(folder.path, { recursive: true });
    folder.sweep(() => false);
    expect(folder.write(one, 'text')).toBe(true);
    expect(await readlink(join(folder.path, 'home'))).toBe(home);
    await chmod(folder.path, 0o755);
    opened(home);
    expect(await modeOf(folder.path)).toBe(0o700);
  });

  it('is not used when something else has its name', async () => {
    const home = await newHome();
    await writeFile(memoryFolderOf(home), '');
    expect(MemoryFolder.open(home, { takesFiles: true, log })).toBeNull();
    const linked = await newHome();
    await symlink(await tempFolder(), memoryFolderOf(linked));
    expect(MemoryFolder.open(linked, { takesFiles: true, log })).toBeNull();
  });

  it.skipIf(!canChangeUser)('is not used when it is that of another user', async () => {
    const home = await newHome();
    const folder = opened(home);
    rmSync(folder.path, { recursive: true });
    await mkdir(folder.path, { mode: 0o777 });
    await chown(folder.path, ordinaryUser, ordinaryUser);
    expect(MemoryFolder.open(home, { takesFiles: true, log })).toBeNull();
  });
});
