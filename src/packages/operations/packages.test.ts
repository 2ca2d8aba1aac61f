import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import {
  endOf,
  type Hooks,
  packagesHere,
  samplePackage,
  stateOf,
  writeSample,
} from '../../../test/support/packages-here.ts';
import { someScript } from '../../../test/support/some-script.ts';
import { until } from '../../../test/support/until.ts';

async function installed(hooks: Hooks = {}) {
  const { id, source } = await samplePackage();
  const here = await packagesHere({ hooks });
  await endOf(here.packages, await here.packages.install({ source, prepare: true }));
  return { ...here, id, source };
}

describe('uninstalling a package', () => {
  it('takes effect immediately and leaves nothing behind', async () => {
    const { packages, catalogue, folder, id } = await installed();
    expect(await packages.uninstall(id.toUpperCase())).toEqual({
      scriptId: id,
      name: 'Sample',
      keptForRuns: false,
    });
    expect(catalogue.find(id)).toBeNull();
    expect(await stateOf(folder)).toEqual({});
    await expect(packages.uninstall(id)).rejects.toMatchObject({ code: 'package-not-installed' });
  });

  it('keeps the files of a current run, and allows a new installation meanwhile', async () => {
    let isRunning = true;
    const { packages, catalogue, folder, id, source } = await installed({
      isInUse: (_id, path) => isRunning && path.endsWith('v1'),
    });
    expect(await packages.uninstall(id)).toMatchObject({ keptForRuns: true });
    expect(catalogue.find(id)).toBeNull();
    expect(await packages.installed()).toEqual([]);
    expect(await readdir(join(folder, id, 'v1'))).toContain('main.sh');
    await packages.sweep();
    expect(await stateOf(folder)).toEqual({ [id]: { current: null, previous: null, folders: ['v1'] } });
    await endOf(packages, await packages.install({ source, prepare: true }));
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v2', previous: null, folders: ['v1', 'v2'] } });
    isRunning = false;
    await packages.sweep();
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v2', previous: null, folders: ['v2'] } });
    await packages.uninstall(id);
    expect(await stateOf(folder)).toEqual({});
  });

  it('publishes the id, which no other operation does', async () => {
    const { packages, id, source } = await installed();
    const uninstalled: string[] = [];
    packages.uninstalled.subscribe((each) => uninstalled.push(each));
    await writeSample(source.location, { id, version: '2.0.0' });
    for (const change of [() => packages.update(id, { prepare: true }), () => packages.rollback(id)])
      expect(await endOf(packages, await change())).toMatchObject({ state: 'done' });
    expect(uninstalled).toEqual([]);
    await packages.uninstall(id.toUpperCase());
    await endOf(packages, await packages.install({ source, prepare: true }));
    expect(uninstalled).toEqual([id]);
  });
});

describe('preparing a script', () => {
  it('works for every known script, even if it is not a package', async () => {
    const { packages, catalogue } = await packagesHere({
      hooks: {
        prepare: async (_script, waiter) => {
          waiter.onBuild('build-run');
          return { kind: 'none' };
        },
      },
    });
    const script = someScript();
    catalogue.foreign.set(script.id, script);
    const begun = await packages.prepareScript(script.id);
    expect(begun).toMatchObject({ kind: 'prepare', stage: 'preparing', source: null });
    expect(begun.script).toEqual({ id: script.id, name: 'some script', version: null });
    expect(await endOf(packages, begun)).toMatchObject({ state: 'done', runId: 'build-run' });
    await expect(packages.prepareScript('nope')).rejects.toMatchObject({ code: 'script-unknown' });
  });
});

describe('operations', () => {
  it('run one at a time for each script', async () => {
    let go: (() => void) | undefined;
    let isHeld = false;
    const { packages, id } = await installed({
      prepare: async () => {
        if (isHeld)
          await new Promise<void>((resolve) => {
            go = resolve;
          });
        return { kind: 'none' };
      },
    });
    isHeld = true;
    const begun = await packages.prepareScript(id);
    for (const refused of [
      packages.update(id, { prepare: true }),
      packages.rollback(id),
      packages.uninstall(id),
      packages.prepareScript(id),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'package-busy' });
    const release = await until('the script is being prepared', async () => go);
    release();
    await endOf(packages, begun);
    expect(await packages.uninstall(id)).toMatchObject({ scriptId: id });
  });

  it('run at most four at once, and the others wait', async () => {
    const inside = new Set<string>();
    let most = 0;
    let begun = 0;
    const gates: (() => void)[] = [];
    const { packages } = await packagesHere({
      hooks: {
        fetch: async ({ location }) => {
          begun++;
          inside.add(location);
          most = Math.max(most, inside.size);
          await new Promise<void>((resolve) => gates.push(resolve));
          inside.delete(location);
        },
      },
    });
    const samples = await Promise.all(Array.from({ length: 7 }, () => samplePackage()));
    const operations = [];
    for (const { source } of samples) operations.push(await packages.install({ source, prepare: true }));
    await until('four operations have started', async () => gates.length === 4);
    // A waiting operation can be cancelled, and then never starts.
    const last = operations.at(-1);
    expect(packages.cancel(last?.id ?? '')).toBe(true);
    expect(await endOf(packages, last ?? { id: '' })).toMatchObject({ state: 'cancelled' });
    const opening = until('all operations have started', async () => {
      for (const open of gates.splice(0)) open();
      return begun === 6;
    });
    const ended = await Promise.all(operations.slice(0, 6).map((each) => endOf(packages, each)));
    await opening;
    expect(ended.map(({ state }) => state)).toEqual(Array(6).fill('done'));
    expect(most).toBe(4);
  });

  it('are refused when too many wait, and the last fifty ended ones are kept', async () => {
    let isOpen = false;
    const { packages } = await packagesHere({
      hooks: {
        fetch: async (_source, { signal }) => {
          if (!isOpen) await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
        },
      },
    });
    const { source } = await samplePackage();
    const ids: string[] = [];
    for (let count = 0; count < 100; count++)
      ids.push((await packages.install({ source, prepare: true })).id);
    await expect(packages.install({ source, prepare: true })).rejects.toMatchObject({ code: 'package-busy' });
    isOpen = true;
    for (const id of ids) packages.cancel(id);
    await Promise.all(ids.slice(-10).map((id) => endOf(packages, { id })));
    await until('all operations have ended', async () =>
      packages.list().every(({ state }) => state !== 'running'),
    );
    expect(packages.list()).toHaveLength(50);
    expect(packages.list()[0]?.id).toBe(ids.at(-1));
    expect(packages.find(ids[0] ?? '')).toBeNull();
    await endOf(packages, await packages.install({ source, prepare: true }));
    expect(packages.list()).toHaveLength(50);
  });

  it('end when the service stops, and no new ones start then', async () => {
    const { source } = await samplePackage();
    const { packages, folder, id } = await installed({ prepare: async () => ({ kind: 'none' }) });
    const held = await packagesHere({ hooks: { prepare: () => new Promise(() => {}) } });
    const begun = await held.packages.install({ source, prepare: true });
    await Promise.all([held.packages.close(), held.packages.close()]);
    expect(held.packages.find(begun.id)?.state).toBe('cancelled');
    expect(await stateOf(held.folder)).toEqual({});
    await packages.close();
    await expect(packages.install({ source, prepare: true })).rejects.toMatchObject({
      code: 'service-stopping',
    });
    await expect(packages.uninstall(id)).rejects.toMatchObject({ code: 'service-stopping' });
    await expect(packages.rollback(id)).rejects.toMatchObject({ code: expect.any(String) });
    expect(await stateOf(folder)).toMatchObject({ [id]: { current: 'v1' } });
  });
});

describe('the start of a service', () => {
  it('removes unfinished files of a killed service, and nothing else', async () => {
    const { packages, folder, id } = await installed();
    const other = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
    await writeSample(join(folder, '.staging', 'a', 'b'), { id });
    await writeSample(join(folder, id, 'v2'), { id });
    await writeSample(join(folder, id, 'installed.json.0123456789ab'), { id });
    await writeSample(join(folder, other, 'v1'), { id: other });
    await writeSample(join(folder, 'not ours', 'v1'), { id: other });
    const next = await packagesHere({ folder });
    await next.packages.start();
    expect(await stateOf(folder)).toEqual({
      [id]: { current: 'v1', previous: null, folders: ['v1'] },
      'not ours': { current: null, previous: null, folders: ['v1'] },
    });
    await packages.close();
  });

  it('keeps files that a run uses until the run has ended', async () => {
    let isRunning = true;
    const { folder, id, packages } = await installed();
    await packages.close();
    await writeSample(join(folder, id, 'v7'), { id });
    const next = await packagesHere({
      folder,
      hooks: { isInUse: (_id, path) => isRunning && path.endsWith('v7') },
    });
    await next.packages.start();
    expect(await stateOf(folder)).toMatchObject({ [id]: { folders: ['v1', 'v7'] } });
    isRunning = false;
    await next.packages.sweep();
    expect(await stateOf(folder)).toMatchObject({ [id]: { folders: ['v1'] } });
  });

  it('creates the folder of packages', async () => {
    const { packages, folder } = await packagesHere();
    await packages.start();
    expect(await stateOf(folder)).toEqual({});
    expect(await packages.installed()).toEqual([]);
  });
});
