import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import type { EndCause, Origin, RunState } from '../contract/values.ts';
import type { Family, RunPage, RunQuery } from '../runs/history/history-store.ts';
import type { BriefRun } from '../runs/run-record.ts';
import { openDatabase } from './database.ts';
import { Candidates } from './run-candidates.ts';
import { SqliteHistoryStore } from './sqlite-history-store.ts';
import { SqliteRetentionStore, SqliteRunRemoval } from './sqlite-retention-store.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

const everything: RunQuery = {
  scriptId: null,
  parentRunId: null,
  triggerId: null,
  states: null,
  endCauses: null,
  origins: null,
  since: null,
  until: null,
  text: null,
  after: null,
  limit: 50,
};
const forever = new AbortController().signal;

function setUp() {
  const database = openDatabase(':memory:');
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  const store = new SqliteRunStore(database);
  const retention = new SqliteRetentionStore(database);
  const history = new SqliteHistoryStore(database);
  let queued = Date.parse('2024-05-01T12:00:00.000Z');
  const add = (rest: Partial<BriefRun> = {}): string => {
    queued += 1000;
    const { state, endCause, message, endedAt, params: _, ...record } = rest;
    const run = queuedRun({ queuedAt: new Date(queued).toISOString(), ...record });
    store.insert(run, `token of ${run.runId}`, { durable: false });
    if (state === 'running')
      store.markStarted(run.runId, { startedAt: run.queuedAt, executor: 'x' }, { durable: false });
    const ending = {
      state: state ?? 'succeeded',
      endCause: endCause ?? 'exit',
      message: message ?? '完成',
      ...(endedAt !== undefined && { endedAt }),
    } as const;
    if (state !== 'queued' && state !== 'running') store.finish(run.runId, runEnding(ending));
    return run.runId;
  };
  const tend = (runIds: readonly string[]) =>
    retention.tend(runIds.map((runId) => ({ runId, folderBytes: 4096 })));
  return { database, store, history, retention, add, tend };
}

async function allPages(history: SqliteHistoryStore, query: RunQuery): Promise<string[]> {
  const found: string[] = [];
  for (let after = query.after; ; ) {
    const page: RunPage = await history.page({ ...query, after }, forever);
    found.push(...page.runs.map(({ runId }) => runId));
    if (page.next === null) return found;
    expect(page.runs).toHaveLength(query.limit);
    after = page.next;
  }
}

describe('the list of runs', () => {
  it('of a trigger has only its runs', async () => {
    const { history, add } = setUp();
    const [first] = [add({ triggerId: 'nightly' }), add(), add({ triggerId: 'inbox' })];
    const last = add({ triggerId: 'nightly', state: 'running' });
    expect(await allPages(history, { ...everything, triggerId: 'nightly' })).toEqual([last, first]);
    expect(await allPages(history, { ...everything, triggerId: 'gone' })).toEqual([]);
  });

  it('is empty at first, and has the newest run first', async () => {
    const { history, add } = setUp();
    expect(await history.page(everything, forever)).toEqual({ runs: [], next: null });
    const runs = [add(), add({ state: 'queued' }), add({ state: 'running' })];
    expect(await allPages(history, everything)).toEqual(runs.reverse());
  });

  it('has pages that contain each run once, also while runs are added', async () => {
    const { history, add } = setUp();
    const runs = Array.from({ length: 25 }, () => add()).reverse();
    const first = await history.page({ ...everything, limit: 10 }, forever);
    expect(first.runs.map(({ runId }) => runId)).toEqual(runs.slice(0, 10));
    add();
    expect(await allPages(history, { ...everything, limit: 10, after: first.next })).toEqual(runs.slice(10));
  });

  it('lists runs of the same time once each, in their order of arrival', async () => {
    const { history, add } = setUp();
    const runs = Array.from({ length: 10 }, () => add({ queuedAt: '2024-05-01T12:00:00.000Z' })).reverse();
    expect(await allPages(history, { ...everything, limit: 3 })).toEqual(runs);
  });

  it.each([
    ['缩放', 'in the name, a short text'],
    ['放图片', 'in the name'],
    ['done', 'in the message'],
    ['DONE: a', 'in other case'],
    ['a "b" c%_\\', 'with special characters'],
    ['a', 'a short text'],
  ])('finds %s: %s, indexed or not', async (text) => {
    const { history, add, tend } = setUp();
    const other = { scriptName: 'x', message: 'nothing' };
    const fitting = { message: `Done: a "b" c%_\\ 缩放图片` };
    const runs = [add(other), add(fitting), add(other), add(fitting), add({ ...other, message: 'a c' })];
    const expected = [runs[3], runs[1]];
    const found = async () =>
      (await allPages(history, { ...everything, text })).filter((id) => id !== runs[4]);
    expect(await found()).toEqual(expected);
    tend(runs.slice(0, 2));
    expect(await found()).toEqual(expected);
    tend(runs.slice(2));
    expect(await found()).toEqual(expected);
    expect(await allPages(history, { ...everything, text: `${text} no` })).toEqual([]);
  });

  it.each(['äpfel', 'ÄPFEL', 'ÄPf', 'ПРИВЕТ', 'привет', 'Ив', 'ив', 'ä'])(
    'finds %s in upper and lower case, indexed or not, combined with other filters',
    async (text) => {
      const { history, add, tend } = setUp();
      const scriptId = randomUUID();
      const runs = [
        add({ scriptId, message: 'Äpfel: Привет' }),
        add({ scriptId, scriptName: 'äPFEL, пРИВЕТ', message: null }),
        add({ scriptId, message: 'Apfel' }),
      ];
      const expected = runs.slice(0, 2).reverse();
      for (const indexed of [[], runs.slice(0, 1), runs]) {
        tend(indexed);
        expect(await allPages(history, { ...everything, text })).toEqual(expected);
        expect(await allPages(history, { ...everything, text, scriptId })).toEqual(expected);
      }
    },
  );

  it('is searched only within the span of time, even if many runs outside contain the text', () => {
    const { database, store, add, tend } = setUp();
    const runs = store.atomically(() => Array.from({ length: 3000 }, () => add({ message: 'images done' })), {
      durable: false,
    });
    tend(runs);
    const candidates = new Candidates(database);
    const slices = (span: Partial<RunQuery>) => [
      ...candidates.slices({ ...everything, text: 'images done', ...span }),
    ];
    expect(slices({ until: '2020-01-01T00:00:00.000Z' })).toEqual([[]]);
    expect(slices({ since: '2040-01-01T00:00:00.000Z' })).toEqual([[]]);
    const some = slices({ since: '2024-05-01T12:00:01.000Z', until: '2024-05-01T12:00:11.000Z' });
    expect(some.map((slice) => slice.length)).toEqual([10]);
  });

  it('returns the runs that match any combination of filters, in any order of time', async () => {
    const pick = <Value>(...values: Value[]) => fc.constantFrom(...values);
    const scripts = [randomUUID(), randomUUID()];
    const run = fc.record({
      scriptId: pick(...scripts),
      scriptName: pick('Resize images', '缩放图片'),
      origin: pick<Origin>('execute', 'link', 'cli'),
      state: pick<RunState>('queued', 'running', 'succeeded', 'failed', 'unknown'),
      endCause: pick<EndCause>('exit', 'timeout', 'lost'),
      message: pick('done: 3 files', '文件无法读取', 'x'),
      queuedAt: fc.integer({ min: 0, max: 9 }).map((second) => `2024-05-01T12:00:0${second}.000Z`),
      isTended: fc.boolean(),
    });
    const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
    const query = fc.record({
      scriptId: maybe(pick(...scripts)),
      states: maybe(fc.uniqueArray(pick<RunState>('queued', 'succeeded', 'failed'), { minLength: 1 })),
      endCauses: maybe(fc.uniqueArray(pick<EndCause>('exit', 'timeout', 'lost'), { minLength: 1 })),
      origins: maybe(fc.uniqueArray(pick<Origin>('execute', 'link'), { minLength: 1 })),
      since: maybe(pick('2024-05-01T12:00:03.000Z')),
      until: maybe(pick('2024-05-01T12:00:07.000Z')),
      text: maybe(pick('done', '无法', '文件无', 'IMAGES', 'e', 'nowhere')),
      limit: pick(1, 3, 50),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 30 }), query, async (runs, wanted) => {
        const { database, history, store, add, tend } = setUp();
        try {
          const ids = runs.map(({ isTended: _, ...each }) => add(each));
          tend(ids.filter((_, index) => runs[index]?.isTended === true));
          const fits = ids
            .map((id, seq) => ({ seq, run: store.findBrief(id) }))
            .filter(({ run: each }) => each !== null && isWanted(each, wanted))
            .map(({ seq, run: each }) => ({ seq, id: each?.runId, at: each?.queuedAt ?? '' }));
          const found = await allPages(history, { ...everything, ...wanted });
          expect([...found].sort()).toEqual(fits.map(({ id }) => id).sort());
          if (wanted.text !== null) return;
          const ordered = fits.sort((a, b) => b.at.localeCompare(a.at) || b.seq - a.seq);
          expect(found).toEqual(ordered.map(({ id }) => id));
        } finally {
          database.close();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('searches many runs without blocking, and stops when the client disconnects', async () => {
    const { history, store, add } = setUp();
    store.atomically(() => Array.from({ length: 12_000 }, () => add({ message: 'x' })), { durable: false });
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const found = await history.page({ ...everything, text: 'zz' }, forever);
    clearInterval(count);
    expect(found).toEqual({ runs: [], next: null });
    expect(turns).toBeGreaterThan(1);
    const gone = AbortSignal.abort();
    expect((await history.page({ ...everything, text: 'zz' }, gone)).runs).toEqual([]);
  });
});

function isWanted(run: BriefRun, wanted: Partial<RunQuery>): boolean {
  const isOneOf = (list: readonly string[] | null | undefined, value: string | null) =>
    list == null || (value !== null && list.includes(value));
  const text = wanted.text?.toLowerCase() ?? '';
  return (
    isOneOf(wanted.scriptId == null ? null : [wanted.scriptId], run.scriptId) &&
    isOneOf(wanted.states, run.state) &&
    isOneOf(wanted.endCauses, run.endCause) &&
    isOneOf(wanted.origins, run.origin) &&
    run.queuedAt >= (wanted.since ?? '') &&
    run.queuedAt < (wanted.until ?? '9') &&
    `${run.scriptName}\n${run.message ?? ''}`.toLowerCase().includes(text)
  );
}

describe('the chain of a run', () => {
  const bounds = { members: 100, generations: 100 };

  it('is the same for every run in it', () => {
    const { history, add } = setUp();
    const root = add();
    const [left, right] = [add({ parentRunId: root, depth: 1 }), add({ parentRunId: root, depth: 1 })];
    const leaf = add({ parentRunId: left, depth: 2, state: 'running' });
    add();
    for (const asked of [root, left, right, leaf]) {
      const { members, isComplete } = history.family(asked, bounds);
      expect(members.map(({ runId }) => runId)).toEqual([root, left, right, leaf]);
      expect(isComplete).toBe(true);
    }
    expect(history.family(randomUUID(), bounds)).toEqual({ members: [], isComplete: true });
  });

  it('begins with the first run that is still on record', () => {
    const { history, add } = setUp();
    const child = add({ parentRunId: randomUUID(), depth: 3 });
    expect(history.family(child, bounds).members.map(({ runId }) => runId)).toEqual([child]);
  });
});

describe('a chain without an end', () => {
  const idsOf = ({ members }: Family) => members.map(({ runId }) => runId);

  it('is limited in generations above the run and below the first run', () => {
    const { history, add } = setUp();
    const line = [add()];
    for (let depth = 1; depth < 9; depth++) line.push(add({ parentRunId: line.at(-1) ?? null, depth }));
    const family = (index: number, generations: number) =>
      history.family(line[index] ?? '', { members: 100, generations });
    expect(idsOf(family(8, 3))).toEqual(line.slice(5));
    expect(family(8, 3).isComplete).toBe(false);
    expect(idsOf(family(1, 3))).toEqual(line.slice(0, 4));
    expect(family(1, 3).isComplete).toBe(false);
    expect(idsOf(family(4, 8))).toEqual(line);
    expect(family(4, 8).isComplete).toBe(true);
    expect(family(8, 8).isComplete).toBe(true);
    expect(family(0, 7).isComplete).toBe(false);
    expect(family(8, 7).isComplete).toBe(false);
  });

  it('contains the requested run and its ancestors, for any number of siblings', () => {
    const { history, add } = setUp();
    const root = add();
    const beside = Array.from({ length: 5 }, () => add({ parentRunId: root }));
    const parent = add({ parentRunId: root });
    const asked = add({ parentRunId: parent });
    const family = history.family(asked, { members: 3, generations: 9 });
    expect(idsOf(family)).toEqual([root, ...beside.slice(0, 2), parent, asked]);
    expect(family.isComplete).toBe(false);
    const whole = history.family(asked, { members: 8, generations: 9 });
    expect(idsOf(whole)).toHaveLength(8);
    expect(whole.isComplete).toBe(true);
  });
});

describe('counts', () => {
  it('are updated once when a run ends, for its day and its script', async () => {
    const { history, store, add } = setUp();
    const other = randomUUID();
    add();
    add({ state: 'failed', endCause: 'timeout' });
    add({ scriptId: other, scriptName: 'old name' });
    const again = add({ scriptId: other, scriptName: 'new name', state: 'failed' });
    expect(store.finish(again, runEnding())).toBeNull();
    add({ state: 'running' });
    const { scripts, days, names } = await history.counts({
      from: '2024-04-30',
      to: '2024-05-02',
      scriptId: null,
    });
    expect(days.outcomes.reduce((sum, { runs }) => sum + runs, 0)).toBe(4);
    expect(scripts.outcomes).toContainEqual({ of: other, state: 'failed', endCause: 'exit', runs: 1 });
    expect(scripts.durations).toContainEqual({ of: other, bucket: 40, runs: 2, totalMs: 2000 });
    expect(names.get(other)).toBe('new name');
    const one = await history.counts({ from: '2024-04-30', to: '2024-05-02', scriptId: other });
    expect(one.days.outcomes.reduce((sum, { runs }) => sum + runs, 0)).toBe(2);
    const later = await history.counts({ from: '2024-05-03', to: '2024-05-04', scriptId: null });
    expect(later.days.outcomes).toEqual([]);
  });
});

describe('the limits of the history', () => {
  const none = { endedBefore: null, runs: null, bytes: null };

  it('remove the oldest ended runs, and ignore runs that have not ended', () => {
    const { retention, add, tend } = setUp();
    const runs = [add({ state: 'running' }), add(), add(), add()];
    const [, a, b, c] = runs;
    tend(runs);
    expect(retention.expired(none, 10)).toEqual([]);
    expect(retention.expired({ ...none, runs: 3 }, 10)).toEqual([]);
    expect(retention.expired({ ...none, runs: 2 }, 10)).toEqual([a]);
    expect(retention.expired({ ...none, runs: 0 }, 10)).toEqual([a, b, c]);
    expect(retention.expired({ ...none, runs: 0 }, 2)).toEqual([a, b]);
    expect(retention.expired({ ...none, bytes: 1 }, 10)).toEqual([a, b]);
    expect(retention.expired({ ...none, bytes: 1 }, 2)).toEqual([a, b]);
    expect(retention.expired({ ...none, bytes: 1 }, 1)).toEqual([a]);
    expect(retention.expired({ ...none, bytes: 2 * 6000 }, 10)).toEqual([a]);
    expect(retention.expired({ ...none, endedBefore: '2024-05-01T12:00:02.001Z' }, 10)).toEqual([a, b, c]);
    expect(retention.expired({ ...none, endedBefore: '2024-05-01T12:00:02.000Z' }, 10)).toEqual([]);
  });

  it('do not remove new runs before old ones after the clock was set back', () => {
    const { retention, add, tend } = setUp();
    const runs = [add({ endedAt: '2031-01-01T00:00:00.000Z' }), add({ endedAt: '2024-05-01T13:00:00.000Z' })];
    tend(runs);
    expect(retention.expired({ ...none, runs: 1 }, 10)).toEqual([runs[0]]);
    expect(retention.expired({ ...none, bytes: 6000 }, 10)).toEqual([runs[0]]);
    expect(retention.expired({ ...none, endedBefore: '2025-01-01T00:00:00.000Z' }, 10)).toEqual([runs[1]]);
  });

  it('remove fewer runs at once if their records are large, but at least one', () => {
    const { retention, add, tend } = setUp();
    const mebibyte = 'x'.repeat(1024 * 1024);
    const large = Array.from({ length: 5 }, () => add({ data: [mebibyte] }));
    tend(large);
    for (const limits of [
      { ...none, runs: 0 },
      { ...none, endedBefore: '2025-01-01T00:00:00.000Z' },
    ]) {
      expect(retention.expired(limits, 10)).toEqual(large.slice(0, 3));
      expect(retention.expired(limits, 2)).toEqual(large.slice(0, 2));
      const other = setUp();
      const runs = [other.add({ data: [mebibyte.repeat(5)] }), other.add()];
      other.tend(runs);
      expect(other.retention.expired(limits, 10)).toEqual(runs.slice(0, 1));
    }
  });

  it('count the size of the folder and of the record', () => {
    const { history, retention, add } = setUp();
    const runId = add({ data: ['x'.repeat(10_000)] });
    expect(retention.untended(10)).toEqual([runId]);
    retention.tend([{ runId, folderBytes: 5000 }]);
    expect(retention.untended(10)).toEqual([]);
    const { runs, bytes } = history.totals();
    expect(runs).toBe(1);
    expect(bytes).toBeGreaterThan(15_000);
    expect(bytes).toBeLessThan(20_000);
    retention.tend([{ runId, folderBytes: 5000 }]);
    expect(history.totals()).toEqual({ runs, bytes });
  });

  it('keep counts by day until they are very old', async () => {
    const { history, retention, add } = setUp();
    add();
    retention.forgetDays('2024-05-01');
    const all = { from: '2000-01-01', to: '2100-01-01', scriptId: null };
    expect((await history.counts(all)).days.outcomes).toHaveLength(1);
    retention.forgetDays('2024-05-02');
    expect((await history.counts(all)).days).toEqual({ outcomes: [], durations: [] });
  });
});

describe('the index of texts', () => {
  it('is merged in small steps, and finds the same runs before, meanwhile and afterwards', async () => {
    const { history, retention, add, tend } = setUp();
    const runs = Array.from({ length: 200 }, (_, number) => add({ message: `picture number ${number}` }));
    // Each run separately, as when runs end one after the other.
    for (const runId of runs) tend([runId]);
    const found = () => allPages(history, { ...everything, text: 'number 1' });
    const before = await found();
    expect(before).toHaveLength(111);
    let steps = 0;
    while (retention.tidy()) {
      if (steps++ % 5 === 0) expect(await found()).toEqual(before);
      expect(steps).toBeLessThan(10_000);
    }
    expect(steps).toBeGreaterThan(0);
    expect(await found()).toEqual(before);
    expect(retention.tidy()).toBe(false);
  });
});

it('a database with much free space returns it to the disk', async () => {
  const path = join(await tempFolder(), 'hob.db');
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  const [store, retention] = [new SqliteRunStore(database), new SqliteRetentionStore(database)];
  const removal = new SqliteRunRemoval(database);
  const result = Buffer.alloc(8 * 1024 * 1024, ' ');
  const runs = Array.from({ length: 6 }, () => queuedRun());
  for (const run of runs) {
    store.insert(run, `token of ${run.runId}`, { durable: false });
    store.finish(run.runId, runEnding({ result }));
  }
  removal.forgetRuns(runs.slice(1).map(({ runId }) => runId));
  while (retention.tidy());
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect((await stat(path)).size).toBeLessThan((8 + 16 + 2) * 1024 * 1024);
  expect(store.find(runs[0]?.runId ?? '')?.result?.length).toBe(result.length);
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
});
