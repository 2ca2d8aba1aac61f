import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import {
  endOf,
  type folderSource,
  type Hooks,
  packagesHere,
  samplePackage,
  stateOf,
  writeSample,
} from '../../../test/support/packages-here.ts';
import type { Packages } from './packages.ts';

async function installed(hooks: Hooks = {}) {
  const { id, source } = await samplePackage();
  const here = await packagesHere({ hooks });
  await endOf(here.packages, await here.packages.install({ source, prepare: true }));
  const change = (version: string, rest: { isBroken?: boolean } = {}) =>
    writeSample(source.location, { id, version, says: version, ...rest });
  const saysNow = async () => readFile(join(here.catalogue.find(id)?.folder ?? '', 'main.sh'), 'utf8');
  return { ...here, id, source, change, saysNow };
}

async function update(
  packages: Packages,
  id: string,
  rest: { source?: ReturnType<typeof folderSource> } = {},
) {
  return endOf(packages, await packages.update(id, { prepare: true, ...rest }));
}

async function rollback(packages: Packages, id: string) {
  return endOf(packages, await packages.rollback(id));
}

describe('updating a package', () => {
  it('fetches from the original source, and keeps only the previous version', async () => {
    const { packages, folder, id, change, saysNow } = await installed();
    await change('2.0.0');
    // Ids are case-insensitive.
    expect(await update(packages, id.toUpperCase())).toMatchObject({
      state: 'done',
      script: { version: '2.0.0' },
    });
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v2', previous: 'v1', folders: ['v1', 'v2'] } });
    await change('3.0.0');
    await update(packages, id);
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v3', previous: 'v2', folders: ['v2', 'v3'] } });
    expect(await saysNow()).toContain('3.0.0');
    const [item] = await packages.installed();
    expect(item).toMatchObject({ version: '3.0.0', previous: { version: '2.0.0' }, state: 'ready' });
    expect((await packages.keptScripts()).map(({ version }) => version)).toEqual(['2.0.0']);
  });

  it('changes nothing when there is nothing new, even if the script has written into its folder', async () => {
    const { packages, catalogue, folder, id, source } = await installed();
    await writeSample(join(catalogue.find(id)?.folder ?? '', 'output'), { id });
    const ended = await update(packages, id);
    expect(ended).toMatchObject({ state: 'done', error: null });
    expect(ended.warnings.map(({ en }) => en)).toEqual(['Sample is already up to date']);
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v1', previous: null, folders: ['v1'] } });
    // A change of a file counts, even if the version stays.
    await writeSample(source.location, { id, says: 'other' });
    expect((await update(packages, id)).warnings).toEqual([]);
    expect(await stateOf(folder)).toMatchObject({ [id]: { current: 'v2', previous: 'v1' } });
  });

  it('compares a repository by its commit', async () => {
    let commit = 'aaaa';
    const { packages, id } = await installed({ fetched: () => ({ commit }) });
    expect((await update(packages, id)).warnings).toHaveLength(1);
    commit = 'bbbb';
    // A new commit with the same files is not a new version, but the new commit is stored.
    expect((await update(packages, id)).warnings).toHaveLength(1);
    expect((await packages.installed())[0]?.commit).toBe('bbbb');
  });

  it('uses a new source if one is given, and stores it', async () => {
    const { packages, id, saysNow } = await installed();
    const other = await samplePackage({ id, version: '9.0.0', says: 'elsewhere' });
    await update(packages, id, { source: other.source });
    expect(await saysNow()).toContain('elsewhere');
    expect(await packages.sourceOf(id)).toEqual(other.source);
    const same = await samplePackage({ id, version: '9.0.0', says: 'elsewhere' });
    expect((await update(packages, id, { source: same.source })).warnings).toHaveLength(1);
    expect(await packages.sourceOf(id)).toEqual(same.source);
  });

  it('refuses a package of another script, and names both scripts', async () => {
    const { packages, folder, id } = await installed();
    const before = await stateOf(folder);
    const other = await samplePackage();
    const ended = await update(packages, id, { source: other.source });
    expect(ended.error?.code).toBe('package-broken');
    expect(ended.error?.message).toContain(id);
    expect(ended.error?.message).toContain(other.id);
    expect(await stateOf(folder)).toEqual(before);
  });

  it('keeps the old version when the new one is broken, cannot be prepared or cannot be loaded', async () => {
    let isPrepared = true;
    const { packages, catalogue, folder, id, change, saysNow } = await installed({
      prepare: async () =>
        isPrepared ? { kind: 'none' } : { kind: 'unavailable', message: { en: 'no', zh: '不' } },
    });
    const before = await stateOf(folder);
    await change('2.0.0', { isBroken: true });
    expect((await update(packages, id)).error?.code).toBe('package-broken');
    expect(await stateOf(folder)).toEqual(before);
    await change('2.0.0');
    isPrepared = false;
    expect((await update(packages, id)).error?.code).toBe('environment-failed');
    expect(await stateOf(folder)).toEqual(before);
    isPrepared = true;
    const refresh = catalogue.refresh.bind(catalogue);
    let hasFailed = false;
    catalogue.refresh = async (paths) => {
      // The first refresh fails for lack of file handles.
      if (!hasFailed) {
        hasFailed = true;
        throw Object.assign(new Error('no handles'), { code: 'EMFILE' });
      }
      await refresh(paths);
    };
    expect((await update(packages, id)).error?.code).toBe('resources-exhausted');
    expect(await stateOf(folder)).toEqual(before);
    expect(await saysNow()).toContain('hello');
    expect((await packages.installed())[0]).toMatchObject({ version: '1.0.0', state: 'ready' });
  });

  it('keeps the folder of a run until the run has ended', async () => {
    const inUse = new Set<string>();
    const { packages, folder, id, change } = await installed({ isInUse: (_id, path) => inUse.has(path) });
    inUse.add(join(folder, id, 'v1'));
    for (const version of ['2.0.0', '3.0.0', '4.0.0']) {
      await change(version);
      await update(packages, id);
    }
    const busy = { current: 'v4', previous: 'v3', folders: ['v1', 'v3', 'v4'] };
    expect(await stateOf(folder)).toEqual({ [id]: busy });
    await packages.sweep();
    expect(await stateOf(folder)).toEqual({ [id]: busy });
    inUse.clear();
    await packages.sweep();
    expect(await stateOf(folder)).toEqual({ [id]: { ...busy, folders: ['v3', 'v4'] } });
  });

  it('repairs a damaged version, and does not keep it as the previous one', async () => {
    const { packages, folder, id } = await installed();
    await rm(join(folder, id, 'v1'), { recursive: true });
    expect((await packages.installed())[0]?.state).toBe('broken');
    expect(await update(packages, id)).toMatchObject({ state: 'done', warnings: [] });
    // The new version has a new name, because the missing one stays current until the end.
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v2', previous: null, folders: ['v2'] } });
    expect((await packages.installed())[0]?.state).toBe('ready');
  });

  it('is refused for a package that is not installed', async () => {
    const { packages } = await packagesHere();
    for (const id of ['nope', '../..', '', '.staging', '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11'])
      await expect(packages.update(id, { prepare: true })).rejects.toMatchObject({
        code: 'package-not-installed',
      });
  });
});

describe('rolling a package back', () => {
  it('swaps the two versions, and swaps them back', async () => {
    const prepared: string[] = [];
    const { packages, folder, id, change, saysNow } = await installed({
      prepare: async ({ folder: path }) => {
        prepared.push(path);
        return { kind: 'none' };
      },
    });
    await change('2.0.0');
    await update(packages, id);
    prepared.length = 0;
    const ended = await rollback(packages, id);
    expect(ended).toMatchObject({ kind: 'rollback', state: 'done', script: { version: '1.0.0' } });
    expect(await saysNow()).toContain('hello');
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v1', previous: 'v2', folders: ['v1', 'v2'] } });
    await rollback(packages, id);
    expect(await saysNow()).toContain('2.0.0');
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v2', previous: 'v1', folders: ['v1', 'v2'] } });
    expect(prepared).toEqual([join(folder, id, 'v1'), join(folder, id, 'v2')]);
    // The next version gets a new number.
    await rollback(packages, id);
    await change('3.0.0');
    await update(packages, id);
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v3', previous: 'v1', folders: ['v1', 'v3'] } });
  });

  it('is refused when there is no previous version, or its files are missing', async () => {
    const { packages, folder, id, change } = await installed();
    await expect(packages.rollback(id)).rejects.toMatchObject({ code: 'package-no-previous' });
    await change('2.0.0');
    await update(packages, id);
    await rm(join(folder, id, 'v1'), { recursive: true });
    await expect(packages.rollback(id)).rejects.toMatchObject({ code: 'package-no-previous' });
    expect((await packages.installed())[0]?.previous).toBeNull();
    // A refused rollback does not block the next operation.
    expect(await update(packages, id)).toMatchObject({ state: 'done' });
  });

  it('changes nothing when the previous version is not usable', async () => {
    const { packages, folder, id, change } = await installed();
    await change('2.0.0');
    await update(packages, id);
    await rm(join(folder, id, 'v1', 'script.toml'));
    const before = await stateOf(folder);
    expect((await rollback(packages, id)).error?.code).toBe('package-broken');
    expect(await stateOf(folder)).toEqual(before);
  });

  it('works when the files of the current version are missing', async () => {
    const { packages, folder, id, change, saysNow } = await installed();
    await change('2.0.0');
    await update(packages, id);
    await rm(join(folder, id, 'v2'), { recursive: true });
    expect(await rollback(packages, id)).toMatchObject({ state: 'done' });
    expect(await saysNow()).toContain('hello');
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v1', previous: null, folders: ['v1'] } });
  });
});
