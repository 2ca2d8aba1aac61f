import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { Catalogue } from './catalogue.ts';

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';

async function packages(versions: readonly string[]) {
  const root = await tempFolder();
  const folder = join(root, id);
  for (const version of versions) {
    await mkdir(join(folder, version), { recursive: true });
    await writeFile(join(folder, version, 'main.sh'), '');
    const manifest = `[other.info]\nid = "${id}"\nname = "${version}"\n[other.runtime]\nentry = "main.sh"\n`;
    await writeFile(join(folder, version, 'any name.toml'), manifest);
  }
  const catalogue = new Catalogue([], { packages: root });
  return {
    root,
    folder,
    catalogue,
    choose: (content: string) => writeFile(join(folder, 'installed.json'), content),
    names: () => catalogue.scripts().map(({ name }) => name),
  };
}

const current = (version: string) => JSON.stringify({ format: 1, current: version });

describe('the catalogue of installed packages', () => {
  it('contains only the current version, and follows when another becomes current', async () => {
    const { catalogue, folder, choose, names } = await packages(['v1', 'v2']);
    await choose(current('v1'));
    await catalogue.load();
    expect(names()).toEqual(['v1']);
    expect((await catalogue.resolve(id)).folder).toBe(join(folder, 'v1'));

    await choose(current('v2'));
    await catalogue.refresh([folder]);
    expect(names()).toEqual(['v2']);
    expect((await catalogue.resolve(id)).folder).toBe(join(folder, 'v2'));
    expect(await catalogue.problems()).toEqual([]);
  });

  it('ignores changes in a version that is not current', async () => {
    const { catalogue, folder, choose, names } = await packages(['v1', 'v2']);
    await choose(current('v1'));
    await catalogue.load();
    await catalogue.refresh([join(folder, 'v2', 'any name.toml'), join(folder, 'v2'), folder]);
    expect(names()).toEqual(['v1']);
  });

  it('contains no package that is not complete yet or was removed', async () => {
    const { catalogue, folder, choose, names } = await packages(['v1']);
    await catalogue.load();
    expect(names()).toEqual([]);
    expect(await catalogue.problems()).toEqual([]);
    await expect(catalogue.resolve(id)).rejects.toMatchObject({ code: 'script-unknown' });
    await choose(current('v1'));
    expect((await catalogue.resolve(id)).name).toBe('v1');
    await rm(folder, { recursive: true });
    await catalogue.refresh([folder]);
    expect(names()).toEqual([]);
  });

  it('contains no scripts of the staging folder', async () => {
    const { catalogue, root, names } = await packages([]);
    await mkdir(join(root, '.staging', id, 'v1'), { recursive: true });
    await writeFile(join(root, '.staging', id, 'installed.json'), current('v1'));
    await catalogue.load();
    expect(names()).toEqual([]);
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '[]'],
    ['no version', '{}'],
    ['a version that is not there', current('v7')],
    ['a path out of the folder', current('../v1')],
    ['a name that is no version', current('.')],
    ['a number', '{"current":1}'],
  ])('reports a damaged package if its record has %s', async (_what, content) => {
    const { catalogue, choose, names } = await packages(['v1']);
    await choose(content);
    await catalogue.load();
    expect(names()).toEqual([]);
    const [problem] = await catalogue.problems();
    expect(problem?.advice.en).toContain(`hob uninstall ${id}`);
    await expect(catalogue.resolve(id)).rejects.toMatchObject({ code: 'script-unusable' });
  });

  it('contains no script if the record is a folder or a link to a device', async () => {
    const { catalogue, folder, names } = await packages(['v1']);
    await mkdir(join(folder, 'installed.json'));
    await catalogue.load();
    expect(names()).toEqual([]);
    await rm(join(folder, 'installed.json'), { recursive: true });
    await symlink('/dev/zero', join(folder, 'installed.json'));
    await catalogue.refresh([folder]);
    expect((await catalogue.problems()).length).toBe(1);
  });
});
