import { chmod, copyFile, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { createLogger } from '../shared/log.ts';
import { mostSecrets, SecretStore } from './secret-store.ts';

const unusable = expect.objectContaining({ code: 'secrets-unusable' });

async function openStore(home?: string, now = () => new Date()) {
  const folder = home ?? (await tempFolder());
  const store = new SecretStore({
    home: folder,
    clock: { now: () => now() },
    log: await createLogger('silent'),
  });
  await store.start();
  const file = join(folder, 'secrets.json');
  return { store, home: folder, file, keyFile: join(folder, 'secrets.key') };
}

describe('stored secrets', () => {
  it.each(['x', 'with spaces \n and lines', '中文 😀', 'y'.repeat(65_536), '{"a":1}'])(
    'return the value that was set, also after a restart',
    async (value) => {
      const { store, home } = await openStore();
      await store.set('one', value);
      expect(store.read('one')).toBe(value);
      expect((await openStore(home)).store.read('one')).toBe(value);
      expect(store.read('other')).toBeNull();
    },
  );

  it('are encrypted, in files that only their user can read', async () => {
    const { store, file, keyFile } = await openStore();
    await store.set('one', 'plain-value');
    await store.set('two', 'plain-value');
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain('plain-value');
    expect(text).not.toContain(Buffer.from('plain-value').toString('base64'));
    const { secrets } = JSON.parse(text);
    expect(secrets.one.nonce).not.toBe(secrets.two.nonce);
    expect(secrets.one.value).not.toBe(secrets.two.value);
    for (const path of [file, keyFile]) expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('use a new nonce for each value', async () => {
    const { store, file } = await openStore();
    const nonces = new Set<string>();
    for (let count = 0; count < 20; count++) {
      await store.set('one', 'same');
      nonces.add(JSON.parse(await readFile(file, 'utf8')).secrets.one.nonce);
    }
    expect(nonces.size).toBe(20);
  });

  it('list names and times, sorted, without values', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    const { store, home } = await openStore(undefined, () => now);
    await store.set('b', 'value-of-b');
    await store.set('a', 'value-of-a');
    now = new Date('2026-01-02T00:00:00Z');
    store.noteUse('b');
    const expected = [
      { name: 'a', setAt: '2026-01-01T00:00:00.000Z', usedAt: null },
      { name: 'b', setAt: '2026-01-01T00:00:00.000Z', usedAt: '2026-01-02T00:00:00.000Z' },
    ];
    expect(store.list()).toEqual(expected);
    await store.close();
    expect((await openStore(home)).store.list()).toEqual(expected);
  });

  it('keep all of many writes that begin at once', async () => {
    const { store, home } = await openStore();
    const names = Array.from({ length: 20 }, (_, index) => `s-${index}`);
    await Promise.all(names.map((name) => store.set(name, `value of ${name}`)));
    await Promise.all([store.remove('s-0'), store.set('s-1', 'new'), store.remove('none')]);
    const reopened = (await openStore(home)).store;
    expect(reopened.list()).toHaveLength(19);
    expect(reopened.read('s-1')).toBe('new');
    expect(reopened.read('s-19')).toBe('value of s-19');
    expect((await readdir(home)).sort()).toEqual(['secrets.json', 'secrets.key']);
  });

  it('report each change once it is on the disk', async () => {
    const { store } = await openStore();
    const seen: [string, string | null][] = [];
    store.changed.subscribe((name) => seen.push([name, store.read(name)]));
    await store.set('one', 'value');
    expect(await store.remove('one')).toBe(true);
    expect(await store.remove('one')).toBe(false);
    expect(seen).toEqual([
      ['one', 'value'],
      ['one', null],
    ]);
  });

  it('have a limit', async () => {
    const { store, file } = await openStore();
    await store.set('s-0', 'x');
    const content = JSON.parse(await readFile(file, 'utf8'));
    for (let index = 1; index < mostSecrets; index++) content.secrets[`s-${index}`] = content.secrets['s-0'];
    await writeFile(file, JSON.stringify(content));
    await expect(store.set('one-more', 'x')).rejects.toMatchObject({ code: 'secrets-full' });
    await store.set('s-0', 'changed');
    expect(store.read('s-0')).toBe('changed');
  });

  it('survive a kill during a write: its draft is removed at the next start', async () => {
    const { store, home } = await openStore();
    await store.set('one', 'value');
    await writeFile(join(home, 'secrets.json.0123456789ab'), '{"version"');
    await writeFile(join(home, 'secrets.json.backup'), 'kept');
    expect((await openStore(home)).store.read('one')).toBe('value');
    expect((await readdir(home)).sort()).toEqual(['secrets.json', 'secrets.json.backup', 'secrets.key']);
  });
});

describe('damaged files of secrets', () => {
  it.each([
    ['empty', ''],
    ['cut short', '{"version": 1, "secr'],
    ['of a newer release', '{"version": 2, "secrets": {}}'],
    ['without the expected fields', '{"version": 1, "secrets": {"one": {"value": 1}}}'],
  ])('cause a clear error and are not overwritten: %s', async (_how, text) => {
    const { store, file } = await openStore();
    await store.set('one', 'value');
    await writeFile(file, text);
    expect(() => store.list()).toThrow(unusable);
    expect(() => store.read('one')).toThrow(unusable);
    await expect(store.set('two', 'value')).rejects.toEqual(unusable);
    await expect(store.remove('one')).rejects.toEqual(unusable);
    await store.close();
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('work again once they are repaired, without a restart', async () => {
    const { store, file } = await openStore();
    await store.set('one', 'value');
    await copyFile(file, `${file}.good`);
    await writeFile(file, 'broken');
    await expect(store.set('two', 'value')).rejects.toEqual(unusable);
    await rename(`${file}.good`, file);
    await store.set('two', 'value');
    expect(store.list().map(({ name }) => name)).toEqual(['one', 'two']);
  });

  it('are noticed if a value, a tag or a name was exchanged', async () => {
    const { store, file } = await openStore();
    await store.set('one', 'first');
    await store.set('two', 'second');
    const content = JSON.parse(await readFile(file, 'utf8'));
    const { one, two } = content.secrets;
    const flipped = Buffer.from(one.value, 'base64');
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    for (const changed of [two, { ...one, value: flipped.toString('base64') }, { ...one, value: '' }]) {
      await writeFile(file, JSON.stringify({ ...content, secrets: { one: changed, two } }));
      expect(() => store.read('one')).toThrow(unusable);
      expect(store.read('two')).toBe('second');
    }
  });

  it('name the key if it is missing or another one, and do not replace it', async () => {
    const { store, home, keyFile } = await openStore();
    await store.set('one', 'value');
    await rename(keyFile, `${keyFile}.away`);
    expect(() => store.read('one')).toThrow(/secrets\.key is missing/);
    await expect(store.set('two', 'value')).rejects.toThrow(/secrets\.key is missing/);
    expect(await readdir(home)).not.toContain('secrets.key');
    await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
    expect(() => store.read('one')).toThrow(unusable);
    await writeFile(keyFile, 'not a key');
    expect(() => store.read('one')).toThrow(/does not contain a key/);
    // Without secrets, a new key may be created.
    await rename(`${keyFile}.away`, keyFile);
    await store.remove('one');
    await store.set('two', 'value');
    expect(store.read('two')).toBe('value');
  });

  it.skipIf(process.platform === 'win32')('are refused if other users can read them', async () => {
    const { store, file, keyFile } = await openStore();
    await store.set('one', 'value');
    for (const path of [file, keyFile]) {
      await chmod(path, 0o640);
      expect(() => store.read('one')).toThrow(/can be read by other users/);
      await chmod(path, 0o600);
    }
    await rename(keyFile, `${keyFile}.away`);
    await symlink(`${keyFile}.away`, keyFile);
    expect(() => store.read('one')).toThrow(/is a link/);
  });
});
