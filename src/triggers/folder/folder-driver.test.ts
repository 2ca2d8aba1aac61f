import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { FakeRuns } from '../../../test/support/inbox-in-process.ts';
import { until } from '../../../test/support/until.ts';
import { openDatabase } from '../../storage/database.ts';
import { SqliteTriggerStore } from '../../storage/sqlite-trigger-store.ts';
import type { FiringRequest, FiringResult } from '../firing-runs.ts';
import type { FolderTrigger } from '../trigger.ts';
import { waitAtMost } from './wait-at-most.ts';

let FolderDriver: typeof import('./folder-driver.ts').FolderDriver;
/** Waits that have ended, with their limits. */
const waits: number[] = [];

// Limits are a hundredth as long in this file. Files of this project share their modules, so this one loads its own.
beforeAll(async () => {
  vi.resetModules();
  vi.doMock('./wait-at-most.ts', () => ({
    async waitAtMost(ms: number, work: Promise<unknown>) {
      await waitAtMost(ms / 100, work);
      waits.push(ms);
    },
  }));
  ({ FolderDriver } = await import('./folder-driver.ts'));
});

afterAll(() => {
  vi.doUnmock('./wait-at-most.ts');
  vi.resetModules();
});

/** Runs that start when the test lets them. */
class SlowRuns extends FakeRuns {
  /** The triggers that asked for a start. */
  readonly asked: string[] = [];
  mayStart: Promise<void> = Promise.resolve();

  override async start(request: FiringRequest): Promise<FiringResult> {
    this.asked.push(request.trigger.id);
    await this.mayStart;
    return super.start(request);
  }

  onEnd(): () => void {
    return () => {};
  }
}

async function openDriver() {
  waits.length = 0;
  const folder = join(await realpath(await tempFolder()), 'inbox');
  await mkdir(folder);
  const database = openDatabase(':memory:');
  const store = new SqliteTriggerStore(database);
  const [runs, errors] = [new SlowRuns(), [] as string[]];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  const driver = new FolderDriver({ store, runs, log, notify: () => {}, keysKeptMs: 86_400_000 });
  onTestFinished(async () => {
    await driver.close();
    database.close();
  });
  const trigger: FolderTrigger = {
    id: 'inbox',
    script: 'recorder',
    scriptId: 'recorder',
    data: undefined,
    params: {},
    retries: undefined,
    valuesProblem: null,
    kind: 'folder',
    path: folder,
    recursive: false,
    filters: [],
    settleMs: 30,
    batchMs: null,
    after: 'leave',
  };
  const listed = () => until('the folder was listed', async () => store.position('inbox') !== null);
  return { folder, store, runs, errors, driver, trigger, listed };
}

describe('a folder trigger', () => {
  it('that is edited while a run is slow to start waits for it', async () => {
    const { folder, store, runs, driver, trigger, listed } = await openDriver();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    runs.mayStart = held;
    driver.update([trigger]);
    await listed();
    await writeFile(join(folder, 'a.txt'), 'a');
    await until('the run is being started', async () => runs.asked.length === 1);
    const [edited, again] = [{ batchMs: 50 }, { settleMs: 50 }].map((changes) => ({
      ...trigger,
      ...changes,
    }));
    driver.update(edited === undefined ? [] : [edited]);
    driver.update(again === undefined ? [] : [again]);
    await until('the closed folder waits for its disk no longer', async () => waits.length > 0);
    // A folder that opened too early would hand over its file again before this one.
    const other = { ...trigger, id: 'other', path: `${folder}-other`, settleMs: 200 };
    await mkdir(other.path);
    driver.update(again === undefined ? [] : [again, other]);
    await until('the other folder was listed', async () => store.position('other') !== null);
    await writeFile(join(other.path, 'c.txt'), 'c');
    await until('the run of the other trigger is being started', async () => runs.asked.includes('other'));
    expect(runs.asked).toEqual(['inbox', 'other']);
    release();
    await until('the run is on record', async () => store.handed('inbox').length === 1);
    await writeFile(join(folder, 'b.txt'), 'b');
    await until('the next file is on record', async () => store.handed('inbox').length === 2);
    expect(runs.paths.flat()).toEqual([
      join(folder, 'a.txt'),
      join(other.path, 'c.txt'),
      join(folder, 'b.txt'),
    ]);
  });

  it('does not keep the service from stopping', async () => {
    const { folder, runs, driver, trigger, listed } = await openDriver();
    let release = (): void => {};
    runs.mayStart = new Promise((resolve) => (release = resolve));
    driver.update([trigger]);
    await listed();
    await writeFile(join(folder, 'a.txt'), 'a');
    await until('the run is being started', async () => runs.asked.length === 1);
    await driver.close();
    expect(runs.paths).toEqual([]);
    release();
  });

  it('opens later if its records cannot be read', async () => {
    const { folder, store, runs, errors, driver, trigger, listed } = await openDriver();
    vi.spyOn(store, 'handed').mockImplementationOnce(() => {
      throw new Error('disk I/O error');
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    driver.update([trigger]);
    expect(driver.status(trigger).problem?.message.en).toContain('cannot read its records');
    expect(errors).toHaveLength(1);
    vi.advanceTimersByTime(5000);
    await listed();
    expect(driver.status(trigger).problem).toBeNull();
    await writeFile(join(folder, 'a.txt'), 'a');
    await until('it is handed over', async () => runs.paths.length === 1);
  });

  it('that moves files away from the runs of another one says so, as does the other one', async () => {
    const { folder, store, driver, trigger, runs } = await openDriver();
    const above = { ...trigger, id: 'above', path: dirname(folder), recursive: true };
    const mover = { ...trigger, after: 'move' as const };
    const apart = { ...mover, id: 'apart', filters: ['.mp4'], path: join(folder, 'sub') };
    const texts = (ones: readonly FolderTrigger[]) => {
      driver.update(ones);
      return ones.map((one) => driver.status(one).problem?.message.en ?? null);
    };
    expect(texts([mover, above])).toEqual([
      expect.stringContaining('The trigger "above" takes files of the same folder'),
      expect.stringContaining('The trigger "inbox" takes files of the same folder'),
    ]);
    expect(texts([trigger, above])).toEqual([null, null]);
    expect(texts([mover, { ...above, recursive: false }])).toEqual([null, null]);
    expect(texts([mover, apart, { ...trigger, id: 'other', filters: ['.txt'], path: apart.path }])).toEqual([
      null,
      null,
      null,
    ]);
    expect(texts([mover])).toEqual([null]);
    driver.update([mover, { ...mover, id: 'twin' }]);
    await until(
      'both know their folder',
      async () => store.positions().has('twin') && store.positions().has('inbox'),
    );
    await writeFile(join(folder, 'a.txt'), 'a');
    await until('both start a run', async () => runs.paths.length === 2);
  });
});
