import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { downloadsHere, pull } from '../support/hub/download-here.ts';
import { someBytes, storedFile } from '../support/hub/stored-file.ts';
import { commit, sendJson, TestHub } from '../support/hub/test-hub.ts';

const small = storedFile('config.json', Buffer.from('{"a":1}'));
const model = storedFile('model.bin', someBytes(100_000));

async function scene() {
  const hub = await TestHub.start([small, model]);
  const folder = await tempFolder();
  const caches = join(folder, 'caches');
  await mkdir(caches);
  const downloads = await downloadsHere({ url: hub.url, folder: caches, silenceMs: 1000 });
  return { hub, folder, caches, downloads, repo: join(caches, 'hf', 'models--ada--tiny') };
}

/** All files below a folder except the claims. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => !/(?:^|\/)\.locks(?:\/|$)/.test(name)).sort();
}

const hostilePaths = [
  '../evil',
  'a/../../evil',
  '..',
  '.',
  '',
  '/etc/evil',
  '//evil',
  'a//b',
  'a/./b',
  'a/',
  '..\\evil',
  'a\\b',
  'C:\\evil\\',
  'a\u0000b',
  'a\nb',
  'a\u007Fb',
  'a\u0085b',
  'a\u2028b',
  '\uD800',
  'con',
  'a/NUL.txt',
  'com1',
  'LPT9.bin',
  'a.',
  'a ',
  'a./b',
  'x'.repeat(300),
  `${'d/'.repeat(16)}x`,
  'x/'.repeat(600),
  null,
  7,
  ['a'],
  { toString: 'a' },
];

describe('a hostile list of files', () => {
  it('comes in more than twenty-five forms', () => {
    expect(hostilePaths.length).toBeGreaterThan(25);
  });

  it.each(hostilePaths.map((path) => [(JSON.stringify(path) ?? '').slice(0, 40), path]))(
    'with the path %s is refused, and nothing is written',
    async (_name, path) => {
      for (const source of ['huggingface', 'modelscope'] as const) {
        const { hub, folder, downloads } = await scene();
        hub.alter = (entries) =>
          entries.map((entry, at) => (at === 0 ? { ...entry, path, Path: path } : entry));
        expect(await pull(downloads, { source })).toMatchObject({
          state: 'failed',
          error: { code: 'hub-answer-invalid' },
        });
        expect(await namesIn(folder)).toEqual(['caches']);
      }
    },
  );

  const wrongValues: [string, Record<string, unknown>][] = [
    ['a negative size', { size: -1, Size: -1 }],
    ['a fractional size', { size: 1.5, Size: 1.5 }],
    ['a huge size', { size: 1e300, Size: 1e300 }],
    ['a size that is a text', { size: '7', Size: '7' }],
    ['no size', { size: undefined, Size: undefined }],
    ['a hash that is a path', { oid: '../../../evil', Sha256: '../../../evil' }],
    ['a hash that is too short', { oid: 'abc', Sha256: 'abc' }],
    ['a hash in capitals', { oid: 'A'.repeat(40), Sha256: 'A'.repeat(64) }],
    ['no hash', { oid: undefined, Sha256: undefined }],
    ['an unknown type', { type: 'symlink', Type: 'symlink' }],
  ];
  it.each(wrongValues)('with %s is refused, and nothing is written', async (_name, values) => {
    for (const source of ['huggingface', 'modelscope'] as const) {
      const { hub, folder, downloads } = await scene();
      hub.alter = (entries) => entries.map((entry) => ({ ...entry, ...values }));
      expect(await pull(downloads, { source })).toMatchObject({
        state: 'failed',
        error: { code: 'hub-answer-invalid' },
      });
      expect(await namesIn(folder)).toEqual(['caches']);
    }
  });

  it.each([
    ['a path for its content', { lfs: { oid: '../../../../evil', size: 7 } }],
    ['no size for its content', { lfs: { oid: 'a'.repeat(64) } }],
    ['an invalid size for its content', { lfs: { oid: 'a'.repeat(64), size: -5 } }],
    ['a text for its content', { lfs: 'evil' }],
  ])('with %s is refused', async (_name, values) => {
    const { hub, folder, downloads } = await scene();
    hub.alter = (entries) => entries.map((entry) => ({ ...entry, ...values }));
    expect(await pull(downloads)).toMatchObject({ state: 'failed', error: { code: 'hub-answer-invalid' } });
    expect(await namesIn(folder)).toEqual(['caches']);
  });

  it.each([
    ['the same file twice', ['a', 'a']],
    ['a file that is also a folder', ['a', 'a/b']],
    ['the same further down', ['a/b/c/d', 'a/b']],
  ])('with %s is refused', async (_name, paths) => {
    for (const source of ['huggingface', 'modelscope'] as const) {
      const { hub, folder, downloads } = await scene();
      hub.alter = (entries) => entries.map((entry, at) => ({ ...entry, path: paths[at], Path: paths[at] }));
      expect(await pull(downloads, { source })).toMatchObject({
        state: 'failed',
        error: { code: 'hub-answer-invalid' },
      });
      expect(await namesIn(folder)).toEqual(['caches']);
    }
  });

  it.each([['null'], ['{}'], ['[1]'], ['"x"'], ['not json'], ['']])('that is %j is refused', async (text) => {
    for (const source of ['huggingface', 'modelscope'] as const) {
      const { hub, downloads } = await scene();
      hub.answer = (_request, response, { pathname }) => {
        if (!pathname.includes('/tree/') && !pathname.endsWith('/files')) return false;
        response.end(text);
        return true;
      };
      expect(await pull(downloads, { source })).toMatchObject({
        state: 'failed',
        error: { code: 'hub-answer-invalid' },
      });
    }
  });

  it.each([['../../evil'], ['main'], [`${commit}/..`], [7], [null], [commit.toUpperCase()]])(
    'of the commit %j is refused',
    async (sha) => {
      const { hub, folder, downloads } = await scene();
      hub.sha = sha;
      expect(await pull(downloads)).toMatchObject({ state: 'failed', error: { code: 'hub-answer-invalid' } });
      expect(await namesIn(folder)).toEqual(['caches']);
    },
  );

  it('without an end is aborted', async () => {
    const { hub, downloads } = await scene();
    let pages = 0;
    hub.answer = (_request, response, { pathname }) => {
      if (!pathname.includes('/tree/')) return false;
      response.setHeader('link', `<${hub.url}${pathname}?cursor=${++pages}>; rel="next"`);
      const entry = { type: 'file', oid: 'a'.repeat(40), size: 1 };
      sendJson(
        response,
        Array.from({ length: 5000 }, (_, at) => ({ ...entry, path: `${pages}/${at}` })),
      );
      return true;
    };
    expect(await pull(downloads)).toMatchObject({ state: 'failed', error: { code: 'hub-answer-invalid' } });
    expect(pages).toBeLessThan(30);
  });

  it.each([
    ['on another host', (hub: TestHub) => `${hub.storeUrl}/next`],
    ['with another scheme', () => 'file:///etc/passwd'],
    ['at an invalid URL', () => 'http://[x'],
  ])('with a next page %s is refused', async (_name, address) => {
    const { hub, downloads } = await scene();
    hub.answer = (_request, response, { pathname }) => {
      if (!pathname.includes('/tree/')) return false;
      response.setHeader('link', `<${address(hub)}>; rel="next"`);
      sendJson(response, [{ type: 'directory', path: 'x', oid: 'a'.repeat(40), size: 0 }]);
      return true;
    };
    expect(await pull(downloads)).toMatchObject({ state: 'failed', error: { code: 'hub-answer-invalid' } });
    expect(hub.asked.every(({ host }) => host === 'hub')).toBe(true);
  });

  it("cannot take the place of Hob's own record", async () => {
    for (const path of ['.hob.json', '.hob.incomplete/x']) {
      const { hub, downloads } = await scene();
      hub.alter = (entries) => entries.map((entry, at) => (at === 0 ? { ...entry, Path: path } : entry));
      expect(await pull(downloads, { source: 'modelscope' })).toMatchObject({
        state: 'failed',
        error: { code: 'hub-answer-invalid' },
      });
    }
  });
});

describe('a redirect', () => {
  it.each([
    ['in a circle', (hub: TestHub) => `${hub.storeUrl}/${model.sha256}`],
    ['to a file of this machine', () => 'file:///etc/passwd'],
    ['to an invalid URL', () => 'http://[x'],
    ['with a password in it', (hub: TestHub) => hub.storeUrl.replace('//', '//ada:secret@')],
  ])('%s is not followed endlessly', async (_name, location) => {
    const { hub, downloads } = await scene();
    hub.fail(
      model.path,
      ...Array.from({ length: 40 }, () => ({ kind: 'redirect', location: location(hub) }) as const),
    );
    const { state, error } = await pull(downloads);
    expect({ state, code: error?.code }).toEqual({ state: 'failed', code: 'hub-answer-invalid' });
    expect(JSON.stringify([error?.text, error?.hint])).not.toContain('secret');
    expect(hub.asked.length).toBeLessThan(20);
  });
});

describe('links that an attacker planted in the cache', () => {
  it.each(['blobs', 'snapshots', 'trees', 'refs', `snapshots/${commit}`])(
    'in place of %s are not followed',
    async (name) => {
      const { folder, downloads, repo } = await scene();
      const outside = join(folder, 'outside');
      await mkdir(outside);
      await mkdir(join(repo, name, '..'), { recursive: true });
      await symlink(outside, join(repo, name));
      const { state, error } = await pull(downloads);
      expect({ state, code: error?.code }).toEqual({ state: 'failed', code: 'download-cache-unusable' });
      expect(error?.message).toContain(name);
      expect(await readdir(outside)).toEqual([]);
    },
  );

  it('in place of the repo are not followed', async () => {
    const { folder, caches, downloads } = await scene();
    const outside = join(folder, 'outside');
    await mkdir(outside);
    for (const [cache, name] of [
      ['hf', 'models--ada--tiny'],
      ['ms', 'models'],
    ] as const) {
      await mkdir(join(caches, cache));
      await symlink(outside, join(caches, cache, name));
    }
    for (const source of ['huggingface', 'modelscope'] as const)
      expect(await pull(downloads, { source })).toMatchObject({
        state: 'failed',
        error: { code: 'download-cache-unusable' },
      });
    expect(await readdir(outside)).toEqual([]);
  });

  it('in place of files are replaced, and their targets are unchanged', async () => {
    const { folder, downloads, repo } = await scene();
    const outside = join(folder, 'outside.txt');
    await writeFile(outside, 'mine');
    await mkdir(join(repo, 'blobs'), { recursive: true });
    await mkdir(join(repo, 'snapshots', commit), { recursive: true });
    await mkdir(join(repo, 'refs'));
    await symlink(outside, join(repo, 'blobs', `${model.sha256}.incomplete`));
    await link(outside, join(repo, 'blobs', `${small.gitSha}.incomplete`));
    await symlink(outside, join(repo, 'blobs', model.sha256));
    await symlink(outside, join(repo, 'snapshots', commit, small.path));
    await symlink(outside, join(repo, 'refs', 'main'));
    expect(await pull(downloads)).toMatchObject({ state: 'done' });
    expect(await readFile(outside, 'utf8')).toBe('mine');
    expect(model.bytes.equals(await readFile(join(repo, 'snapshots', commit, model.path)))).toBe(true);
    expect(await readFile(join(repo, 'snapshots', commit, small.path), 'utf8')).toBe('{"a":1}');
  });
});
