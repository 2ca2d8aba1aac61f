import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { RunEnding, RunRecord } from '../../src/runs/run-record.ts';
import type { RunStore } from '../../src/runs/run-store.ts';

const quickly = { durable: false };
const durably = { durable: true };

function newRecord(rest: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: randomUUID(),
    scriptId: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
    scriptName: '缩放图片',
    scriptVersion: '1.0.0',
    origin: 'execute',
    parentRunId: null,
    depth: 0,
    sync: false,
    executor: null,
    state: 'queued',
    endCause: null,
    exitCode: null,
    result: null,
    envelope: null,
    data: { images: ['/a', '/b'] },
    params: { quality: 85 },
    queuedAt: '2024-05-01T12:00:00.000Z',
    startedAt: null,
    endedAt: null,
    durationMs: null,
    stdoutBytes: null,
    stderrBytes: null,
    stdoutKept: null,
    stderrKept: null,
    truncated: null,
    leftRunning: null,
    ...rest,
  };
}

function newEnding(rest: Partial<RunEnding> = {}): RunEnding {
  return {
    state: 'succeeded',
    endCause: 'exit',
    exitCode: 0,
    result: Uint8Array.from(
      Buffer.from('{"code": 0, "msg":"完成", "id":9007199254740993, "deep":{"a":[null]}}'),
    ),
    envelope: 'own',
    startedAt: '2024-05-01T12:00:01.000Z',
    endedAt: '2024-05-01T12:00:02.000Z',
    durationMs: 1000,
    stdoutBytes: 12,
    stderrBytes: 0,
    stdoutKept: { headBytes: 12, tailBytes: 0 },
    stderrKept: { headBytes: 0, tailBytes: 0 },
    truncated: false,
    leftRunning: null,
    ...rest,
  };
}

const startAt = (startedAt: string) => ({ startedAt, executor: '1-aa' });

/** What every store of runs does, whatever it keeps them in. */
export function describeRunStore(name: string, open: () => RunStore): void {
  describe(`a store of runs in ${name}`, () => {
    it('knows nothing of runs it was not given', () => {
      const store = open();
      expect(store.isOpen).toBe(true);
      expect(store.has(randomUUID())).toBe(false);
      expect(store.find(randomUUID())).toBeNull();
      expect(store.findByToken('hash')).toBeNull();
      expect(store.unfinished()).toEqual([]);
      expect(store.finish(randomUUID(), newEnding())).toBe(false);
      expect(() => store.markStarted(randomUUID(), startAt('now'), quickly)).not.toThrow();
    });

    it.each([quickly, durably])('gives a run back as it was put in: %j', (options) => {
      const store = open();
      const records = [
        newRecord(),
        newRecord({ scriptVersion: null, sync: true, origin: 'link', parentRunId: randomUUID(), depth: 8 }),
        newRecord({ origin: 'schedule', data: ['a', null, { b: 1 }], params: {} }),
        newRecord({
          data: {},
          params: { 键: 'it\'s "quoted"; DROP TABLE runs; --', nul: 'a\0b', half: '\ud800' },
        }),
      ];
      for (const record of records) store.insert(record, `hash of ${record.runId}`, options);
      for (const record of records) expect(store.find(record.runId)).toEqual(record);
    });

    it('takes a run id once, and a token once, and keeps what it has', () => {
      const store = open();
      const record = newRecord();
      store.insert(record, 'token', quickly);
      expect(() => store.insert({ ...record, scriptName: 'other' }, 'other token', quickly)).toThrow();
      const other = newRecord();
      expect(() => store.insert(other, 'token', quickly)).toThrow();
      expect(store.find(record.runId)).toEqual(record);
      expect(store.find(other.runId)).toBeNull();
      expect(store.findByToken('other token')).toBeNull();
      expect(store.findByToken('token')).toEqual({ runId: record.runId, depth: 0 });
    });

    it('does not change with what it was given, nor with what it gave', () => {
      const store = open();
      const params: Record<string, number> = { quality: 85 };
      const record = newRecord({ params });
      store.insert(record, 'token', quickly);
      params.quality = 1;
      const given = store.find(record.runId);
      if (given !== null) given.params.quality = 2;
      expect(store.find(record.runId)?.params).toEqual({ quality: 85 });
    });

    it.each([quickly, durably])('notes the start of a run: %j', (options) => {
      const store = open();
      const record = newRecord();
      store.insert(record, 'token', quickly);
      store.markStarted(record.runId, startAt('2024-05-01T12:00:01.000Z'), options);
      expect(store.find(record.runId)).toEqual({
        ...record,
        state: 'running',
        startedAt: '2024-05-01T12:00:01.000Z',
        executor: '1-aa',
      });
    });

    it('notes what runs have left running, before or after their end, and forgets it for none', () => {
      const store = open();
      const [early, late, never] = [newRecord(), newRecord(), newRecord()] as const;
      for (const record of [early, late, never]) store.insert(record, `token of ${record.runId}`, quickly);
      store.recordLeftRunning([{ runId: early.runId, leftRunning: 2 }]);
      for (const record of [early, late, never]) store.finish(record.runId, newEnding());
      store.recordLeftRunning([
        { runId: late.runId, leftRunning: 0 },
        { runId: randomUUID(), leftRunning: 7 },
      ]);
      const counts = [early, late, never].map(({ runId }) => store.find(runId)?.leftRunning);
      expect(counts).toEqual([2, 0, null]);
    });

    it('notes the end of a run with all that came of it', () => {
      const store = open();
      const endings = [
        newEnding(),
        newEnding({ state: 'failed', endCause: 'signal', exitCode: 137, truncated: true, leftRunning: 3 }),
        newEnding({
          state: 'failed',
          endCause: 'spawn-failed',
          exitCode: -1,
          envelope: 'synthesized',
          durationMs: 0,
        }),
        newEnding({ state: 'unknown', endCause: 'lost', exitCode: null, result: null, envelope: null }),
        newEnding({ stdoutBytes: 10 * 1024 ** 4, stderrBytes: Number.MAX_SAFE_INTEGER }),
      ];
      for (const ending of endings) {
        const record = newRecord();
        store.insert(record, `token of ${record.runId}`, quickly);
        expect(store.finish(record.runId, ending)).toBe(true);
        expect(store.find(record.runId)).toEqual({ ...record, ...ending });
      }
    });

    it('keeps the time at which a run started when its end does not know better', () => {
      const store = open();
      const record = newRecord();
      store.insert(record, 'token', quickly);
      store.markStarted(record.runId, startAt('2024-05-01T12:00:01.000Z'), quickly);
      store.finish(record.runId, newEnding({ startedAt: null, endCause: 'lost', state: 'unknown' }));
      expect(store.find(record.runId)?.startedAt).toBe('2024-05-01T12:00:01.000Z');
    });

    it('takes the first end of a run, and no other', () => {
      const store = open();
      const record = newRecord();
      store.insert(record, 'token', quickly);
      expect(store.finish(record.runId, newEnding())).toBe(true);
      expect(
        store.finish(record.runId, newEnding({ state: 'failed', endCause: 'timeout', exitCode: 1 })),
      ).toBe(false);
      store.markStarted(record.runId, startAt('2030-01-01T00:00:00.000Z'), quickly);
      expect(store.find(record.runId)).toEqual({ ...record, ...newEnding() });
    });

    it('knows a run by its token, also after its end', () => {
      const store = open();
      const record = newRecord({ depth: 5 });
      store.insert(record, 'token', quickly);
      store.insert(newRecord({ depth: 1 }), 'other', quickly);
      const owner = { runId: record.runId, depth: 5 };
      expect(store.findByToken('token')).toEqual(owner);
      store.finish(record.runId, newEnding());
      expect(store.findByToken('token')).toEqual(owner);
      expect(store.findByToken('TOKEN')).toBeNull();
    });

    it('lists what has no end yet, in the order in which it came, whatever the clock said', () => {
      const store = open();
      const at = (minute: number) => newRecord({ queuedAt: `2024-05-01T12:0${minute}:00.000Z` });
      const records = [at(3), at(1), at(2), at(1), at(0)] as const;
      for (const record of records) store.insert(record, `token of ${record.runId}`, quickly);
      const [late, early, middle, alike, ended] = records;
      store.markStarted(middle.runId, startAt('2024-05-01T13:00:00.000Z'), quickly);
      store.finish(ended.runId, newEnding());
      expect(store.unfinished().map(({ runId, state }) => [runId, state])).toEqual([
        [late.runId, 'queued'],
        [early.runId, 'queued'],
        [middle.runId, 'running'],
        [alike.runId, 'queued'],
      ]);
    });
  });
}
