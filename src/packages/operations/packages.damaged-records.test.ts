import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { endOf, packagesHere, samplePackage, stateOf } from '../../../test/support/packages-here.ts';

async function installed() {
  const { id, source } = await samplePackage();
  const { folder, packages } = await packagesHere();
  await endOf(packages, await packages.install({ source, prepare: true }));
  const record = join(folder, id, 'installed.json');
  return { id, source, folder, record, text: await readFile(record, 'utf8') };
}

/** Each makes the record invalid. */
const damages: [string, (path: string, text: string) => Promise<unknown>][] = [
  ['is empty', (path) => writeFile(path, '')],
  ['is not JSON', (path, text) => writeFile(path, text.slice(0, -10))],
  ['is a list', (path) => writeFile(path, '[]')],
  ['is of another format', (path, text) => writeFile(path, text.replace('"format": 1', '"format": 2'))],
  ['belongs to another package', (path, text) => writeFile(path, text.replace(/"id": "./, '"id": "x'))],
  ['has paths to other folders', (path, text) => writeFile(path, text.replaceAll('"v1"', '"../x"'))],
  ['names invalid version folders', (path, text) => writeFile(path, text.replaceAll('"v1"', '"v0"'))],
  [
    'names a version that it does not describe',
    (path, text) => writeFile(path, text.replace('"current": "v1"', '"current": "v9"')),
  ],
  [
    'names one version twice',
    (path, text) => writeFile(path, text.replace('"previous": null', '"previous": "v1"')),
  ],
  ['has an invalid source', (path, text) => writeFile(path, text.replace('"folder"', '"ftp"'))],
  ['is huge', (path, text) => writeFile(path, text + ' '.repeat(100_000))],
  [
    'is a folder',
    async (path) => {
      await rm(path);
      await mkdir(join(path, 'inner'), { recursive: true });
    },
  ],
  [
    'is a pipe',
    async (path) => {
      await rm(path);
      execFileSync('mkfifo', [path]);
    },
  ],
  [
    'is a link to another file',
    async (path) => {
      await rm(path);
      await symlink('/dev/zero', path);
    },
  ],
];

describe('a package whose record', () => {
  it.each(damages)(
    '%s is listed as broken, keeps its files at a start, and can be updated',
    async (_what, damage) => {
      const { id, source, folder, record, text } = await installed();
      await damage(record, text);
      const { packages } = await packagesHere({ folder });
      await packages.start();
      const item = {
        scriptId: id,
        name: id,
        version: null,
        installedAt: null,
        source: null,
        state: 'broken',
      };
      expect(await packages.installed()).toEqual([expect.objectContaining(item)]);
      expect(await packages.keptScripts()).toEqual([]);
      expect(await readFile(join(folder, id, 'v1', 'main.sh'), 'utf8')).toContain('hello');
      // The previous version and the source are unknown.
      await expect(packages.rollback(id)).rejects.toMatchObject({ code: 'package-no-previous' });
      await expect(packages.update(id, { prepare: true })).rejects.toMatchObject({
        code: 'package-source-invalid',
      });
      await expect(packages.sourceOf(id)).rejects.toMatchObject({ code: 'package-source-invalid' });
      const refused = await endOf(packages, await packages.install({ source, prepare: true }));
      expect(refused.error?.code).toBe('package-installed');
      expect(await endOf(packages, await packages.update(id, { source, prepare: true }))).toMatchObject({
        state: 'done',
      });
      expect(await stateOf(folder)).toEqual({ [id]: { current: 'v2', previous: null, folders: ['v2'] } });
      expect(await packages.installed()).toEqual([
        expect.objectContaining({ version: '1.0.0', state: 'ready' }),
      ]);
    },
  );

  it.each(damages)('%s can be uninstalled', async (_what, damage) => {
    const { id, folder, record, text } = await installed();
    await damage(record, text);
    const { packages } = await packagesHere({ folder });
    expect(await packages.uninstall(id)).toEqual({ scriptId: id, name: id, keptForRuns: false });
    expect(await stateOf(folder)).toEqual({});
  });

  it.each(damages)('%s is unchanged when an update fails', async (_what, damage) => {
    const { id, source, folder, record, text } = await installed();
    await damage(record, text);
    const { packages, catalogue } = await packagesHere({ folder });
    catalogue.refresh = async () => {};
    const ended = await endOf(packages, await packages.update(id, { source, prepare: true }));
    expect(ended.state).toBe('failed');
    expect(await packages.installed()).toEqual([expect.objectContaining({ state: 'broken' })]);
    expect(await readFile(join(folder, id, 'v1', 'main.sh'), 'utf8')).toContain('hello');
  });

  it('has arbitrary content never makes an operation throw', async () => {
    const { id, source, folder, record, text } = await installed();
    const { packages } = await packagesHere({ folder });
    const whole = JSON.parse(text);
    const change = fc.constantFrom('format', 'id', 'current', 'previous', 'versions');
    const inside = fc.constantFrom('version', 'installed_at', 'source', 'commit', 'content');
    const contents = fc.oneof(
      fc.string(),
      fc.json(),
      fc.tuple(change, fc.jsonValue()).map(([name, value]) => JSON.stringify({ ...whole, [name]: value })),
      fc.tuple(inside, fc.jsonValue()).map(([name, value]) => {
        const version = { ...whole.versions.v1, [name]: value };
        return JSON.stringify({ ...whole, versions: { v1: version } });
      }),
      fc
        .tuple(fc.nat(text.length), fc.nat(20), fc.string())
        .map(([at, length, other]) => text.slice(0, at) + other + text.slice(at + length)),
    );
    await fc.assert(
      fc.asyncProperty(contents, async (content) => {
        await writeFile(record, content);
        await packages.start();
        const [item, ...others] = await packages.installed();
        expect(others).toEqual([]);
        expect(item).toMatchObject({ scriptId: id });
        await packages.keptScripts();
      }),
      { numRuns: 300 },
    );
    await writeFile(record, '{"__proto__":{"current":"v1"}}');
    expect((await packages.installed())[0]?.state).toBe('broken');
    await writeFile(record, text);
    expect(await endOf(packages, await packages.update(id, { source, prepare: true }))).toMatchObject({
      state: 'done',
    });
  });
});
