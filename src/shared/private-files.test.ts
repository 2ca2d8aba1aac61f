import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import {
  claimPrivateFile,
  makePrivateFolder,
  replacePrivateFile,
  writePrivateFile,
} from './private-files.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

/** Uses the most permissive umask, so that private modes do not come from the umask. */
function withoutMask(): void {
  const before = process.umask(0);
  onTestFinished(() => {
    process.umask(before);
  });
}

describe('a private folder', () => {
  it('can be accessed only by its user', async () => {
    withoutMask();
    const path = join(await tempFolder(), 'runs');
    await makePrivateFolder(path);
    expect(await modeOf(path)).toBe(0o700);
  });

  it('must be new, unless an existing one is allowed', async () => {
    const path = join(await tempFolder(), 'a');
    await makePrivateFolder(path);
    await expect(makePrivateFolder(path)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makePrivateFolder(path, { existing: true })).resolves.toBeUndefined();
  });

  it('is created with its parent folders, all of them private', async () => {
    withoutMask();
    const folder = await tempFolder();
    await makePrivateFolder(join(folder, 'a', 'b'), { existing: true });
    expect(await modeOf(join(folder, 'a'))).toBe(0o700);
    expect(await modeOf(join(folder, 'a', 'b'))).toBe(0o700);
    await expect(makePrivateFolder(join(folder, 'x', 'y'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a private file', () => {
  it.each([{ durable: false }, { durable: true }])('can be read only by its user: %j', async (options) => {
    withoutMask();
    const path = join(await tempFolder(), 'params.json');
    await writePrivateFile(path, '{"密":"码"}', options);
    expect(await modeOf(path)).toBe(0o600);
    expect(await readFile(path, 'utf8')).toBe('{"密":"码"}');
  });

  it('never replaces another file or follows a planted link', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'there'), 'old');
    await expect(writePrivateFile(join(folder, 'there'), 'new')).rejects.toMatchObject({ code: 'EEXIST' });
    await symlink(join(folder, 'elsewhere'), join(folder, 'link'));
    await expect(writePrivateFile(join(folder, 'link'), 'new')).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(join(folder, 'there'), 'utf8')).toBe('old');
    expect((await readdir(folder)).toSorted()).toEqual(['link', 'there']);
  });
});

describe('a claimed file', () => {
  it('exists and is private before the first write', async () => {
    withoutMask();
    const path = join(await tempFolder(), 'hob.db');
    claimPrivateFile(path);
    expect([await modeOf(path), await readFile(path, 'utf8')]).toEqual([0o600, '']);
  });

  it('keeps its content, and loses the access of others', async () => {
    withoutMask();
    const path = join(await tempFolder(), 'hob.db');
    await writeFile(path, 'kept', { mode: 0o666 });
    claimPrivateFile(path);
    expect([await modeOf(path), await readFile(path, 'utf8')]).toEqual([0o600, 'kept']);
  });

  it('must be neither a link, to any target, nor a folder', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'target'), 'untouched', { mode: 0o644 });
    await symlink('target', join(folder, 'link'));
    await symlink('nowhere', join(folder, 'dangling'));
    await mkdir(join(folder, 'folder'));
    for (const name of ['link', 'dangling', 'folder']) {
      expect(() => claimPrivateFile(join(folder, name)), name).toThrow(/is not a regular file/);
    }
    expect(await modeOf(join(folder, 'target'))).toBe(0o644);
    expect((await readdir(folder)).toSorted()).toEqual(['dangling', 'folder', 'link', 'target']);
  });
});

describe('a replaced file', () => {
  it('is private, with any previous mode', async () => {
    withoutMask();
    const path = join(await tempFolder(), 'service.json');
    await replacePrivateFile(path, 'first');
    expect([await modeOf(path), await readFile(path, 'utf8')]).toEqual([0o600, 'first']);
    await writeFile(`${path}-open`, 'open', { mode: 0o666 });
    await replacePrivateFile(`${path}-open`, 'closed');
    expect([await modeOf(`${path}-open`), await readFile(`${path}-open`, 'utf8')]).toEqual([0o600, 'closed']);
  });

  it('replaces a link, not its target', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'target'), 'untouched');
    await symlink('target', join(folder, 'link'));
    await replacePrivateFile(join(folder, 'link'), 'new');
    expect(await readFile(join(folder, 'target'), 'utf8')).toBe('untouched');
    expect(await readFile(join(folder, 'link'), 'utf8')).toBe('new');
  });

  it('leaves no other file behind, even if it fails', async () => {
    const folder = await tempFolder();
    await replacePrivateFile(join(folder, 'a'), 'x');
    await mkdir(join(folder, 'full'));
    await writeFile(join(folder, 'full', 'x'), '');
    await expect(replacePrivateFile(join(folder, 'full'), 'x')).rejects.toThrow();
    expect((await readdir(folder)).toSorted()).toEqual(['a', 'full']);
  });

  it('is always complete for concurrent readers', async () => {
    const path = join(await tempFolder(), 'service.json');
    const long = 'x'.repeat(200_000);
    const short = 'y';
    await replacePrivateFile(path, long);
    const writing = (async () => {
      for (let round = 0; round < 20; round++) await replacePrivateFile(path, round % 2 === 0 ? short : long);
    })();
    const seen = new Set<string>();
    for (let round = 0; round < 60; round++) seen.add(await readFile(path, 'utf8'));
    await writing;
    for (const content of seen) expect([long, short]).toContain(content);
  });
});
