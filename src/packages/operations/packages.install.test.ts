import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import {
  checkByLoading,
  endOf,
  folderSource,
  packagesHere,
  samplePackage,
  stateOf,
} from '../../../test/support/packages-here.ts';
import { someScript } from '../../../test/support/some-script.ts';
import type { OperationView } from './operation.ts';

describe('installing a package', () => {
  it('passes all stages and adds the script with its files', async () => {
    const { id, source } = await samplePackage({ says: '你好' });
    const { packages, catalogue, folder } = await packagesHere();
    const views: OperationView[] = [];
    packages.progress.subscribe((view) => views.push(view));
    const started = await packages.install({ source, prepare: true });
    expect(started).toMatchObject({ kind: 'install', state: 'running', stage: 'fetching', script: null });
    const ended = await endOf(packages, started);
    expect(ended).toMatchObject({
      state: 'done',
      stage: null,
      script: { id, name: 'Sample', version: '1.0.0' },
      source,
      entriesDone: 2,
      bytesDone: 20,
      warnings: [],
      problems: [],
      error: null,
    });
    expect([...new Set(views.map(({ stage }) => stage))]).toEqual([
      'fetching',
      'checking',
      'preparing',
      'switching',
      null,
    ]);
    expect(catalogue.find(id)?.folder).toBe(join(folder, id, 'v1'));
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v1', previous: null, folders: ['v1'] } });
    expect(await packages.installed()).toEqual([
      {
        scriptId: id,
        name: 'Sample',
        version: '1.0.0',
        description: null,
        installedAt: expect.stringMatching(/^\d{4}-/),
        source,
        commit: null,
        previous: null,
        state: 'ready',
      },
    ]);
  });

  it('prepares the script in its final folder before it becomes current, unless told not to', async () => {
    const prepared: string[] = [];
    let isKnown: boolean | undefined;
    const { packages, catalogue, folder } = await packagesHere({
      hooks: {
        prepare: async (script, waiter) => {
          prepared.push(script.folder);
          isKnown = catalogue.find(script.id) !== null;
          waiter.onBuild('build-run');
          return { kind: 'none' };
        },
      },
    });
    const one = await samplePackage();
    const ended = await endOf(packages, await packages.install({ source: one.source, prepare: true }));
    expect(ended).toMatchObject({ state: 'done', runId: 'build-run' });
    const other = await samplePackage();
    await endOf(packages, await packages.install({ source: other.source, prepare: false }));
    expect({ prepared, isKnown }).toEqual({ prepared: [join(folder, one.id, 'v1')], isKnown: false });
    expect(catalogue.find(other.id)?.folder).toBe(join(folder, other.id, 'v1'));
  });

  it('leaves nothing behind when its environment cannot be built', async () => {
    const { source } = await samplePackage();
    const { packages, folder } = await packagesHere({
      hooks: {
        prepare: async (_script, waiter) => {
          waiter.onBuild('build-run');
          return { kind: 'unavailable', message: { en: 'no network', zh: '没有网络' } };
        },
      },
    });
    const ended = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(ended).toMatchObject({ state: 'failed', runId: 'build-run' });
    expect(ended.error).toMatchObject({ code: 'environment-failed', text: { en: 'no network' } });
    expect(ended.error?.hint?.en).toContain('build-run');
    expect(await stateOf(folder)).toEqual({});
  });

  it('reports all problems of a broken package with paths inside the package, and leaves nothing behind', async () => {
    const { source } = await samplePackage({ isBroken: true });
    const { packages, folder } = await packagesHere();
    const ended = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(ended.error?.code).toBe('package-broken');
    expect(ended.error?.message).toContain('script.toml:');
    expect(ended.error?.message).not.toContain('.staging');
    expect(ended.problems).toEqual([
      expect.objectContaining({ severity: 'error', file: 'script.toml', line: 9 }),
    ]);
    const none = await tempFolder();
    await writeFile(join(none, 'readme'), '');
    const nothing = await endOf(
      packages,
      await packages.install({ source: folderSource(none), prepare: true }),
    );
    expect(nothing.error?.code).toBe('package-broken');
    expect(await stateOf(folder)).toEqual({});
  });

  it('reports notes as warnings and still installs', async () => {
    const { source } = await samplePackage();
    const note = {
      severity: 'note',
      line: 3,
      message: { en: 'needs another script', zh: '需要另一个脚本' },
      advice: { en: 'install it', zh: '请安装' },
    } as const;
    const { packages } = await packagesHere({
      hooks: {
        fetched: () => ({ notes: [{ en: '.git was left out', zh: '未包含 .git' }] }),
        check: async (folder, options) => {
          const { script } = await checkByLoading(folder, options);
          return { script, problems: [{ ...note, file: join(folder, 'script.toml') }] };
        },
      },
    });
    const ended = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(ended).toMatchObject({
      state: 'done',
      problems: [{ severity: 'note', file: 'script.toml' }],
      warnings: [
        { en: '.git was left out', zh: '未包含 .git' },
        { en: 'script.toml:3: needs another script', zh: 'script.toml:3：需要另一个脚本' },
      ],
    });
  });

  it('reports at most 100 problems, errors first', async () => {
    const { source } = await samplePackage();
    const text = { en: 'odd', zh: '奇怪' };
    const problem = { file: 'script.toml', line: null, message: text, advice: text } as const;
    const notes = Array.from({ length: 5000 }, () => ({ ...problem, severity: 'note' }) as const);
    const { packages } = await packagesHere({
      hooks: {
        check: async (folder, options) => {
          const { script } = await checkByLoading(folder, options);
          return { script, problems: [...notes, { ...problem, severity: 'error' }] };
        },
      },
    });
    const { problems } = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(problems).toHaveLength(100);
    expect(problems[0]?.severity).toBe('error');
  });

  it('is refused for a script that is already installed or exists in another folder', async () => {
    const { id, source } = await samplePackage();
    const { packages, catalogue, folder } = await packagesHere();
    await endOf(packages, await packages.install({ source, prepare: true }));
    const before = await stateOf(folder);
    const again = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(again.error).toMatchObject({ code: 'package-installed' });
    expect(again.error?.hint?.en).toContain('hob update');
    const other = await samplePackage();
    catalogue.foreign.set(other.id, someScript({ id: other.id, folder: '/scripts/mine' }));
    const foreign = await endOf(packages, await packages.install({ source: other.source, prepare: true }));
    expect(foreign.error).toMatchObject({ code: 'package-installed' });
    expect(foreign.error?.message).toContain('/scripts/mine');
    expect(await stateOf(folder)).toEqual(before);
    expect(catalogue.find(id)?.folder).toBe(join(folder, id, 'v1'));
  });

  it('is undone when a script with the same id appears in another folder meanwhile', async () => {
    const { id, source } = await samplePackage();
    const { packages, catalogue, folder } = await packagesHere({
      hooks: {
        prepare: async () => {
          catalogue.foreign.set(id, someScript({ id }));
          return { kind: 'none' };
        },
      },
    });
    const ended = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(ended.error?.code).toBe('package-installed');
    expect(await stateOf(folder)).toEqual({});
    expect(await packages.installed()).toEqual([]);
  });

  it('is undone when the catalogue does not accept the script', async () => {
    const { source } = await samplePackage();
    const { packages, catalogue, folder } = await packagesHere();
    const refresh = catalogue.refresh.bind(catalogue);
    catalogue.refresh = async () => {};
    const ended = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(ended.error?.code).toBe('package-broken');
    catalogue.refresh = refresh;
    expect(await stateOf(folder)).toEqual({});
  });

  it('happens once when it is requested twice at the same time', async () => {
    const { id, source } = await samplePackage();
    let waiting = 0;
    let release = () => {};
    const bothWaiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { packages, folder } = await packagesHere({
      hooks: {
        fetch: async () => {
          if (++waiting === 2) release();
          await bothWaiting;
        },
      },
    });
    const started = [
      await packages.install({ source, prepare: true }),
      await packages.install({ source, prepare: true }),
    ];
    const ended = await Promise.all(started.map((each) => endOf(packages, each)));
    expect(ended.map(({ state }) => state).sort()).toEqual(['done', 'failed']);
    const failed = ended.find(({ state }) => state === 'failed');
    expect(['package-busy', 'package-installed']).toContain(failed?.error?.code);
    expect(await stateOf(folder)).toEqual({ [id]: { current: 'v1', previous: null, folders: ['v1'] } });
  });

  it.each(['fetching', 'checking', 'preparing'] as const)(
    'leaves nothing behind when it is cancelled while %s',
    async (stage) => {
      const { source } = await samplePackage();
      const { packages, folder } = await packagesHere({
        hooks: {
          fetch: async (_source, { into, signal }) => {
            await mkdir(join(into, 'half'));
            if (stage === 'fetching') packages.cancel(packages.list()[0]?.id ?? '');
            signal.throwIfAborted();
          },
          prepare: () => new Promise(() => {}),
        },
      });
      packages.progress.subscribe((view) => {
        if (stage !== 'fetching' && view.stage === stage) packages.cancel(view.id);
      });
      const ended = await endOf(packages, await packages.install({ source, prepare: true }));
      expect(ended).toMatchObject({ state: 'cancelled', stage: null, error: null });
      expect(packages.cancel(ended.id)).toBe(false);
      expect(await stateOf(folder)).toEqual({});
    },
  );

  it('completes when it is cancelled in its last stage', async () => {
    const { id, source } = await samplePackage();
    const { packages, folder } = await packagesHere();
    packages.progress.subscribe((view) => {
      if (view.stage === 'switching') packages.cancel(view.id);
    });
    const ended = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(ended.state).toBe('done');
    expect(await stateOf(folder)).toMatchObject({ [id]: { current: 'v1' } });
  });

  it('reports an internal error without details, and leaves nothing behind', async () => {
    const { source } = await samplePackage();
    const { packages, folder } = await packagesHere({
      hooks: {
        check: async () => {
          throw new Error('a secret detail');
        },
      },
    });
    const ended = await endOf(packages, await packages.install({ source, prepare: true }));
    expect(ended.error?.code).toBe('internal');
    expect(ended.error?.message).not.toContain('secret');
    expect(await stateOf(folder)).toEqual({});
  });

  it('copies the files, so later changes to the source have no effect', async () => {
    const { source } = await samplePackage();
    const { packages } = await packagesHere();
    await endOf(packages, await packages.install({ source, prepare: true }));
    await rm(source.location, { recursive: true });
    expect((await packages.installed()).map(({ state }) => state)).toEqual(['ready']);
  });
});
