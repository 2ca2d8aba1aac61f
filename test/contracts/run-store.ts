import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { RunRecord } from '../../src/runs/run-record.ts';
import type { RunStore } from '../../src/runs/run-store.ts';
import { queuedRun, runEnding } from '../support/run-records.ts';

const quickly = { durable: false };
const durably = { durable: true };

const startAt = (startedAt: string) => ({ startedAt, executor: '1-aa' });

/** The behaviour of every run store, wherever it stores the runs. */
export function describeRunStore(name: string, open: () => RunStore): void {
  describe(`the run store in ${name}`, () => {
    it('finds no run that was never stored', () => {
      const store = open();
      expect(store.isOpen).toBe(true);
      expect(store.has(randomUUID())).toBe(false);
      expect(store.find(randomUUID())).toBeNull();
      expect(store.findByToken('hash')).toBeNull();
      expect(store.unfinished()).toEqual([]);
      expect(store.finish(randomUUID(), runEnding())).toBeNull();
      expect(() => store.markStarted(randomUUID(), startAt('now'), quickly)).not.toThrow();
    });

    it.each([quickly, durably])('returns a run as it was stored: %j', (options) => {
      const store = open();
      const records = [
        queuedRun(),
        queuedRun({ scriptVersion: null, sync: true, origin: 'link', parentRunId: randomUUID(), depth: 8 }),
        queuedRun({ origin: 'schedule', triggerId: 'nightly', data: ['a', null, { b: 1 }], params: {} }),
        queuedRun({ origin: 'mcp', client: 'claude-code' }),
        queuedRun({ attempt: 3, firstRunId: randomUUID() }),
        queuedRun({
          data: {},
          params: { 键: 'it\'s "quoted"; DROP TABLE runs; --', nul: 'a\0b', half: '\ud800' },
        }),
      ];
      for (const record of records) store.insert(record, `hash of ${record.runId}`, options);
      for (const record of records) expect(store.find(record.runId)).toEqual(record);
    });

    it('returns the brief form of an inserted run', () => {
      const store = open();
      const large = '大'.repeat(2000);
      const records = [queuedRun(), queuedRun({ data: [large] }), queuedRun({ params: { large } })];
      for (const record of records) {
        const inserted = store.insert(record, `hash of ${record.runId}`, quickly);
        expect(inserted).toEqual(store.findBrief(record.runId));
      }
    });

    it('stores a run together with its start, and returns the queued record', () => {
      const store = open();
      const record = queuedRun();
      const start = { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' };
      expect(store.insert(record, 'token', { ...quickly, start })).toEqual(record);
      expect(store.find(record.runId)).toEqual({ ...record, state: 'running', ...start });
      expect(store.unfinished()).toHaveLength(1);
    });

    it('refuses a duplicate run id or token, and keeps the existing run', () => {
      const store = open();
      const record = queuedRun();
      store.insert(record, 'token', quickly);
      expect(() => store.insert({ ...record, scriptName: 'other' }, 'other token', quickly)).toThrow();
      const other = queuedRun();
      expect(() => store.insert(other, 'token', quickly)).toThrow();
      expect(store.find(record.runId)).toEqual(record);
      expect(store.find(other.runId)).toBeNull();
      expect(store.findByToken('other token')).toBeNull();
      expect(store.findByToken('token')).toEqual({ runId: record.runId, depth: 0 });
    });

    it('copies records when it stores and returns them', () => {
      const store = open();
      const params: Record<string, number> = { quality: 85 };
      const record = queuedRun({ params });
      store.insert(record, 'token', quickly);
      params.quality = 1;
      const given = store.find(record.runId);
      if (given !== null) given.params.quality = 2;
      expect(store.find(record.runId)?.params).toEqual({ quality: 85 });
    });

    it.each([quickly, durably])('records the start of a run: %j', (options) => {
      const store = open();
      const record = queuedRun();
      store.insert(record, 'token', quickly);
      store.markStarted(record.runId, startAt('2024-05-01T12:00:01.000Z'), options);
      expect(store.find(record.runId)).toEqual({
        ...record,
        state: 'running',
        startedAt: '2024-05-01T12:00:01.000Z',
        executor: '1-aa',
      });
    });

    it('records how many processes a run left running, before or after its end, and ignores unknown runs', () => {
      const store = open();
      const [early, late, never] = [queuedRun(), queuedRun(), queuedRun()] as const;
      for (const record of [early, late, never]) store.insert(record, `token of ${record.runId}`, quickly);
      store.recordLeftRunning([{ runId: early.runId, leftRunning: 2 }]);
      for (const record of [early, late, never]) store.finish(record.runId, runEnding());
      store.recordLeftRunning([
        { runId: late.runId, leftRunning: 0 },
        { runId: randomUUID(), leftRunning: 7 },
      ]);
      const counts = [early, late, never].map(({ runId }) => store.find(runId)?.leftRunning);
      expect(counts).toEqual([2, 0, null]);
    });

    it('records the end of a run with its whole outcome', () => {
      const store = open();
      const endings = [
        runEnding(),
        runEnding({ state: 'failed', endCause: 'signal', exitCode: 137, truncated: true, leftRunning: 3 }),
        runEnding({
          state: 'failed',
          endCause: 'spawn-failed',
          exitCode: -1,
          envelope: 'synthesized',
          durationMs: 0,
        }),
        runEnding({
          state: 'unknown',
          endCause: 'lost',
          exitCode: null,
          result: null,
          envelope: null,
          code: null,
          message: null,
        }),
        runEnding({ stdoutKept: null, stderrKept: null, stdoutBytes: null }),
        runEnding({ stdoutBytes: 10 * 1024 ** 4, stderrBytes: Number.MAX_SAFE_INTEGER }),
      ];
      for (const ending of endings) {
        const record = queuedRun();
        store.insert(record, `token of ${record.runId}`, quickly);
        expect(store.finish(record.runId, ending)).toEqual(store.findBrief(record.runId));
        expect(store.find(record.runId)).toEqual({ ...record, ...ending });
      }
    });

    it('keeps the start time of a run when its end has none', () => {
      const store = open();
      const record = queuedRun();
      store.insert(record, 'token', quickly);
      store.markStarted(record.runId, startAt('2024-05-01T12:00:01.000Z'), quickly);
      store.finish(record.runId, runEnding({ startedAt: null, endCause: 'lost', state: 'unknown' }));
      expect(store.find(record.runId)?.startedAt).toBe('2024-05-01T12:00:01.000Z');
    });

    it('keeps the first end of a run and ignores later ones', () => {
      const store = open();
      const record = queuedRun();
      store.insert(record, 'token', quickly);
      expect(store.finish(record.runId, runEnding())).not.toBeNull();
      expect(
        store.finish(record.runId, runEnding({ state: 'failed', endCause: 'timeout', exitCode: 1 })),
      ).toBeNull();
      store.markStarted(record.runId, startAt('2030-01-01T00:00:00.000Z'), quickly);
      expect(store.find(record.runId)).toEqual({ ...record, ...runEnding() });
    });

    it('writes a transaction completely or not at all', () => {
      const store = open();
      const [kept, given] = [queuedRun(), queuedRun()];
      const write = (record: RunRecord) => store.insert(record, `token of ${record.runId}`, durably);
      expect(store.atomically(() => write(kept), durably)).toEqual(store.findBrief(kept.runId));
      const half = () => {
        write(given);
        store.atomically(() => store.finish(kept.runId, runEnding()), quickly);
        throw new Error('expected failure');
      };
      expect(() => store.atomically(half, quickly)).toThrow('expected failure');
      expect(store.find(given.runId)).toBeNull();
      expect(store.find(kept.runId)).toEqual(kept);
      expect(store.atomically(() => store.finish(kept.runId, runEnding()), quickly)).not.toBeNull();
    });

    it('omits large values from the brief form of a run', () => {
      const store = open();
      const small = queuedRun();
      const large = queuedRun({ data: ['x'.repeat(5000)], params: { text: 'y'.repeat(5000) } });
      for (const record of [small, large]) store.insert(record, `token of ${record.runId}`, quickly);
      expect(store.findBrief(small.runId)).toEqual(small);
      expect(store.findBrief(large.runId)).toEqual({ ...large, data: null, params: null });
      const result = Uint8Array.from(Buffer.from(`{"code":7,"msg":"${'缩'.repeat(2000)}"}`));
      store.finish(small.runId, runEnding({ result, code: 7, message: '缩' }));
      expect(store.findBrief(small.runId)).toMatchObject({ result: null, code: 7, message: '缩' });
      expect(store.find(small.runId)?.result).toEqual(result);
      expect(store.findBrief(randomUUID())).toBeNull();
    });

    it('finds a run by its token, also after its end', () => {
      const store = open();
      const record = queuedRun({ depth: 5 });
      store.insert(record, 'token', quickly);
      store.insert(queuedRun({ depth: 1 }), 'other', quickly);
      const owner = { runId: record.runId, depth: 5 };
      expect(store.findByToken('token')).toEqual(owner);
      store.finish(record.runId, runEnding());
      expect(store.findByToken('token')).toEqual(owner);
      expect(store.findByToken('TOKEN')).toBeNull();
    });

    it('lists runs without an end in the order of insertion, not of their timestamps', () => {
      const store = open();
      const at = (minute: number) => queuedRun({ queuedAt: `2024-05-01T12:0${minute}:00.000Z` });
      const records = [at(3), at(1), at(2), at(1), at(0)] as const;
      for (const record of records) store.insert(record, `token of ${record.runId}`, quickly);
      const [late, early, middle, alike, ended] = records;
      store.markStarted(middle.runId, startAt('2024-05-01T13:00:00.000Z'), quickly);
      store.finish(ended.runId, runEnding());
      expect(store.unfinished().map(({ runId, state }) => [runId, state])).toEqual([
        [late.runId, 'queued'],
        [early.runId, 'queued'],
        [middle.runId, 'running'],
        [alike.runId, 'queued'],
      ]);
    });
  });
}
