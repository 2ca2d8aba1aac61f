import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { MemoryKeyStore } from '../../../test/support/memory-key-store.ts';
import { queuedRun } from '../../../test/support/run-records.ts';
import { AppError } from '../../shared/errors.ts';
import { Feed } from '../../shared/feed.ts';
import { jsonTextOf } from '../../shared/json.ts';
import { RunEnds } from '../run.ts';
import type { BriefRun, RunRecord } from '../run-record.ts';
import type { RunOutcome, SubmittedRun } from '../run-request.ts';
import { KeyedRuns } from './keyed-runs.ts';

const use = { scriptId: 'script', keyHash: 'hash', bodyMac: 'mac' };
const never = new AbortController().signal;
const outcome: RunOutcome = {
  runId: randomUUID(),
  exitCode: 0,
  success: true,
  timedOut: false,
  message: jsonTextOf('ok'),
  stdout: jsonTextOf(''),
  stderr: jsonTextOf(''),
  result: jsonTextOf({ code: 0, msg: 'ok' }),
};
const refusal = new AppError('queue-full', { en: 'full', zh: '满' });

function setUp() {
  let hour = 100;
  const time = (ago = 0) => new Date((hour - ago) * 3_600_000).toISOString();
  const keys = new MemoryKeyStore();
  const onRecord = new Set<string>();
  const lent: string[][] = [];
  const known = new Map<string, BriefRun>();
  const keyed = new KeyedRuns({
    keys,
    keptSince: () => time(24),
    store: {
      has: (runId) => onRecord.has(runId),
      find: () => null,
      findBrief: (runId) => known.get(runId) ?? null,
      lastAttempt: (runId) => known.get(runId) ?? null,
    },
    ends: new RunEnds({
      events: new Feed(),
      seriesEnds: new Feed(),
      store: { findBrief: () => null, lastAttempt: () => null },
    }),
    recall: () => Promise.reject(new Error('no outcome is recalled in this test')),
    lend: (...runs) => lent.push(runs),
  });
  let started = 0;
  const accept = (mac = use.bodyMac): SubmittedRun => {
    started++;
    const runId = randomUUID();
    onRecord.add(runId);
    keys.put({ ...use, bodyMac: mac }, { runId, usedAt: time(), since: time(24) });
    return { runId, started: Promise.resolve(), outcome: new Promise(() => {}) };
  };
  return {
    keyed,
    accept,
    onRecord,
    lent,
    known,
    started: () => started,
    pass: (hours: number) => {
      hour += hours;
    },
  };
}

/** Takes a while, like a write to a disk. */
const slowly = async <Result>(work: () => Result): Promise<Result> => {
  await new Promise((resolve) => setImmediate(resolve));
  return work();
};

describe('requests with a key', () => {
  it('that arrive at once start one run', async () => {
    const { keyed, accept, started } = setUp();
    const all = await Promise.all(
      Array.from({ length: 200 }, () => keyed.once(use, () => slowly(() => accept()))),
    );
    expect(started()).toBe(1);
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(1);
    expect(all.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
    expect(new Set(all.map((each) => each.follow(null, never))).size).toBe(1);
  });

  it('that arrive at once with different bodies are refused, except the first', async () => {
    const { keyed, accept, started } = setUp();
    const all = await Promise.allSettled(
      ['a', 'b', 'a', 'b'].map((bodyMac) =>
        keyed.once({ ...use, bodyMac }, () => slowly(() => accept(bodyMac))),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(all[1]).toMatchObject({ reason: { code: 'idempotency-key-reused' } });
    expect(started()).toBe(1);
  });

  it('are tried one after the other when those before them were refused', async () => {
    const { keyed, accept, started } = setUp();
    let attempts = 0;
    const start = () =>
      slowly(() => {
        if (++attempts < 3) throw refusal;
        return accept();
      });
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => keyed.once(use, start)));
    expect(all.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect([attempts, started()]).toEqual([3, 1]);
  });

  it('are independent for different scripts and different keys', async () => {
    const { keyed, accept } = setUp();
    const blocked = keyed.once(use, () => new Promise(() => {}));
    const other = await keyed.once({ ...use, scriptId: 'other' }, async () => accept());
    const another = await keyed.once({ ...use, keyHash: 'other' }, async () => accept());
    expect(other.runId).not.toBe(another.runId);
    expect(blocked).toBeInstanceOf(Promise);
  });

  it('return their run until the key expires, and start a new one afterwards', async () => {
    const { keyed, accept, pass } = setUp();
    const start = () => slowly(() => accept());
    const first = await keyed.once(use, start);
    pass(24);
    expect(await keyed.once(use, start)).toMatchObject({ runId: first.runId, isRepeat: true });
    pass(1);
    const second = await keyed.once({ ...use, bodyMac: 'other' }, () => slowly(() => accept('other')));
    expect(second.isRepeat).toBe(false);
    expect(second.runId).not.toBe(first.runId);
  });

  it('never start a deleted run again', async () => {
    const { keyed, accept, onRecord, started } = setUp();
    await keyed.once(use, async () => accept());
    onRecord.clear();
    await expect(keyed.once(use, async () => accept())).rejects.toMatchObject({
      code: 'idempotency-run-gone',
    });
    expect(started()).toBe(1);
  });

  it('let the run borrow from the run that waits for it, unless that would close a circle', async () => {
    const { keyed, accept, lent, known } = setUp();
    const first = await keyed.once(use, async () => accept());
    const { runId } = first;
    const run = (rest: Partial<RunRecord>) => {
      const made = queuedRun(rest);
      known.set(made.runId, made);
      return { runId: made.runId, depth: 0 };
    };
    run({ runId });
    const child = run({ parentRunId: runId, sync: true });
    const grandchild = run({ parentRunId: child.runId, sync: true });
    const loose = run({ parentRunId: runId });
    const belowLoose = run({ parentRunId: loose.runId, sync: true });
    const repeat = await keyed.once(use, async () => accept());
    repeat.follow(null, never);
    for (const caller of [{ runId, depth: 0 }, child, grandchild]) {
      const circle = expect.objectContaining({ code: 'wait-circle' });
      expect(() => repeat.follow(caller, never)).toThrow(circle);
    }
    expect(lent).toEqual([]);
    for (const caller of [loose, belowLoose]) repeat.follow(caller, never);
    expect(lent).toEqual([
      [runId, loose.runId],
      [runId, belowLoose.runId],
    ]);
    run({ runId, endedAt: '2024-05-01T12:00:05.000Z' });
    repeat.follow(child, never);
    expect(lent).toHaveLength(2);
  });

  it('share the refusal of a run that could not be started', async () => {
    const { keyed, accept } = setUp();
    let refuse = (_reason: unknown): void => {};
    const run = {
      outcome: new Promise<RunOutcome>((_resolve, reject) => {
        refuse = reject;
      }),
    };
    await keyed.once(use, async () => ({ ...accept(), ...run }));
    const repeat = await keyed.once(use, async () => accept());
    const waiting = repeat.follow(null, never).outcome;
    refuse(refusal);
    await expect(waiting).rejects.toBe(refusal);
  });

  it('read the record after the run has ended', async () => {
    const { keyed, accept } = setUp();
    const first = await keyed.once(use, async () => ({ ...accept(), outcome: Promise.resolve(outcome) }));
    await expect(first.follow(null, never).outcome).resolves.toBe(outcome);
    const repeat = await keyed.once(use, async () => accept());
    // This test has no record.
    await expect(repeat.follow(null, never).outcome).rejects.toMatchObject({ code: 'idempotency-run-gone' });
  });
});
