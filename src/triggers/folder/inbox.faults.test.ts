import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';

import { openInbox } from '../../../test/support/inbox-in-process.ts';
import { until } from '../../../test/support/until.ts';

type Scene = Awaited<ReturnType<typeof openInbox>>;

const isRecorded = (scene: Scene, path: string) =>
  until('the file is on record', async () => scene.store.handed('inbox').some((file) => file.path === path));

function diskFull(): never {
  throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
}

describe('the records of a folder trigger', () => {
  it('are not needed for the next files if they were removed while the trigger is there', async () => {
    const scene = await openInbox();
    const paths = ['a', 'b'].map((name) => join(scene.folder, name));
    const [a = '', b = ''] = paths;
    await until('the trigger has begun', async () => scene.store.position('inbox') !== null);
    scene.store.forget('inbox');
    await writeFile(a, 'a');
    await isRecorded(scene, a);
    await writeFile(b, 'b');
    await isRecorded(scene, b);
    expect(scene.runs.paths.flat()).toEqual(paths);
  });

  it('stay removed if a run starts after that', async () => {
    const scene = await openInbox();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const start = scene.runs.start.bind(scene.runs);
    const starting = vi.spyOn(scene.runs, 'start').mockImplementation(async (request) => {
      await held;
      return start(request);
    });
    await writeFile(join(scene.folder, 'a.txt'), 'a');
    await until('the run is being started', async () => starting.mock.calls.length === 1);
    const closed = scene.inbox.close();
    scene.store.forget('inbox');
    release();
    await closed;
    expect(scene.runs.paths).toHaveLength(1);
    expect(scene.store.position('inbox')).toBeNull();
    expect(scene.store.handovers('inbox')).toEqual([]);
    expect(scene.store.handed('inbox')).toEqual([]);
  });

  it('of a started run survive a power failure', async () => {
    const scene = await openInbox();
    const path = join(scene.folder, 'a.txt');
    let durable: string[] = [];
    const write = scene.store.atomically.bind(scene.store);
    vi.spyOn(scene.store, 'atomically').mockImplementation((work, options) => {
      const result = write(work, options);
      if (options.durable) durable = scene.store.handed('inbox').map((file) => file.path);
      return result;
    });
    await writeFile(path, 'a');
    await isRecorded(scene, path);
    expect(durable).toEqual([path]);
  });
});

describe('a store that fails', () => {
  it('while a run is recorded delays what follows the run', async () => {
    const scene = await openInbox({ after: 'move' });
    const recording = vi.spyOn(scene.store, 'recordHanded').mockImplementationOnce(diskFull);
    await writeFile(join(scene.folder, 'a.txt'), 'a');
    await until('the record fails', async () => recording.mock.calls.length > 0);
    scene.end('run-1');
    await until('it is moved', async () => {
      scene.skip(100);
      return (await readdir(scene.folder)).join() === 'done';
    });
    await until('the handover is removed', async () => scene.store.handovers('inbox').length === 0);
    await writeFile(join(scene.folder, 'a.txt'), 'the next one');
    await scene.handed(2);
  });

  it('while a refused run is recorded delays the next attempt', async () => {
    const scene = await openInbox();
    const path = join(scene.folder, 'a.txt');
    const start = vi.spyOn(scene.runs, 'start').mockRejectedValueOnce(new Error('unknown'));
    const find = vi.spyOn(scene.runs, 'find').mockImplementationOnce(diskFull);
    const remove = vi.spyOn(scene.store, 'removeHandover').mockImplementationOnce(diskFull);
    await writeFile(path, 'a');
    await scene.handed(1, 1000);
    await isRecorded(scene, path);
    expect([start, find, remove].map(({ mock }) => mock.calls.length)).toEqual([2, 3, 2]);
    expect(scene.store.handovers('inbox')).toHaveLength(1);
  });
});

describe('files that cannot be moved', () => {
  it('do not keep others from their runs, and the user learns of them once', async () => {
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    const scene = await openInbox({ after: 'move', filters: ['.txt'] }, { parts: { log } });
    await writeFile(join(scene.folder, 'done'), 'in the way');
    for (let index = 0; index < 60; index++) await writeFile(join(scene.folder, `${index}.txt`), 'x');
    await scene.handed(50);
    for (const runId of scene.runs.live) scene.end(runId);
    await scene.handed(60);
    for (const runId of scene.runs.live) scene.end(runId);
    expect(scene.notices).toEqual([]);
    await until('the user learns of it', async () => {
      scene.skip(61_000);
      return scene.notices.length > 0;
    });
    scene.skip(61_000);
    await writeFile(join(scene.folder, 'last.txt'), 'x');
    await scene.handed(61);
    for (const runId of scene.runs.live) scene.end(runId);
    expect(scene.inbox.problem?.field).toBe('after');
    expect(scene.notices.map(({ en }) => en)).toEqual([
      expect.stringContaining('cannot be moved after its run'),
    ]);
    expect(warnings).toHaveLength(1);
    await unlink(join(scene.folder, 'done'));
    await mkdir(join(scene.folder, 'done'));
    await until('all are moved', async () => {
      scene.skip(61_000);
      return (await readdir(join(scene.folder, 'done'))).length === 61;
    });
    await until('the problem is gone', async () => scene.inbox.problem === null);
    expect(scene.notices).toHaveLength(1);
    expect(scene.runs.paths).toHaveLength(61);
  });
});
