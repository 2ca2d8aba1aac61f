import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { RunRecord } from '../../src/runs/run-record.ts';
import type { RunStore } from '../../src/runs/run-store.ts';
import { queuedRun, runEnding } from '../support/run-records.ts';

const quickly = { durable: false };
const durably = { durable: true };

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
      expect(store.finish(randomUUID(), runEnding())).toBeNull();
      expect(() => store.markStarted(randomUUID(), startAt('now'), quickly)).not.toThrow();
    });

    it.each([quickly, durably])('gives a run back as it was put in: %j', (options) => {
      const store = open();
      const records = [
        queuedRun(),
        queuedRun({ scriptVersion: null, sync: true, origin: 'link', parentRunId: randomUUID(), depth: 8 }),
        queuedRun({ origin: 'schedule', data: ['a', null, { b: 1 }], params: {} }),
        queuedRun({
          data: {},
          params: { 键: 'it\'s "quoted"; DROP TABLE runs; --', nul: 'a\0b', half: '\ud800' },
        }),
      ];
      for (const record of records) store.insert(record, `hash of ${record.runId}`, options);
      for (const record of records) expect(store.find(record.runId)).toEqual(record);
    });

    it('gives back in brief what it was given: nothing that is too large for that', () => {
      const store = open();
      const large = '大'.repeat(2000);
      const records = [queuedRun(), queuedRun({ data: [large] }), queuedRun({ params: { large } })];
      for (const record of records) {
        const inserted = store.insert(record, `hash of ${record.runId}`, quickly);
        expect(inserted).toEqual(store.findBrief(record.runId));
      }
    });

    it('takes a run with its start, and gives it back as it was queued', () => {
      const store = open();
      const record = queuedRun();
      const start = { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' };
      expect(store.insert(record, 'token', { ...quickly, start })).toEqual(record);
      expect(store.find(record.runId)).toEqual({ ...record, state: 'running', ...start });
      expect(store.unfinished()).toHaveLength(1);
    });

    it('takes a run id once, and a token once, and keeps what it has', () => {
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

    it('does not change with what it was given, nor with what it gave', () => {
      const store = open();
      const params: Record<string, number> = { quality: 85 };
      const record = queuedRun({ params });
      store.insert(record, 'token', quickly);
      params.quality = 1;
      const given = store.find(record.runId);
      if (given !== null) given.params.quality = 2;
      expect(store.find(record.runId)?.params).toEqual({ quality: 85 });
    });

    it.each([quickly, durably])('notes the start of a run: %j', (options) => {
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

    it('notes what runs have left running, before or after their end, and forgets it for none', () => {
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

    it('notes the end of a run with all that came of it', () => {
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

    it('keeps the time at which a run started when its end does not know better', () => {
      const store = open();
      const record = queuedRun();
      store.insert(record, 'token', quickly);
      store.markStarted(record.runId, startAt('2024-05-01T12:00:01.000Z'), quickly);
      store.finish(record.runId, runEnding({ startedAt: null, endCause: 'lost', state: 'unknown' }));
      expect(store.find(record.runId)?.startedAt).toBe('2024-05-01T12:00:01.000Z');
    });

    it('takes the first end of a run, and no other', () => {
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

    it('writes what belongs together, or nothing of it', () => {
      const store = open();
      const [kept, given] = [queuedRun(), queuedRun()];
      const write = (record: RunRecord) => store.insert(record, `token of ${record.runId}`, durably);
      expect(store.atomically(() => write(kept), durably)).toEqual(store.findBrief(kept.runId));
      const half = () => {
        write(given);
        store.atomically(() => store.finish(kept.runId, runEnding()), quickly);
        throw new Error('that was not to be');
      };
      expect(() => store.atomically(half, quickly)).toThrow('not to be');
      expect(store.find(given.runId)).toBeNull();
      expect(store.find(kept.runId)).toEqual(kept);
      expect(store.atomically(() => store.finish(kept.runId, runEnding()), quickly)).not.toBeNull();
    });

    it('shows a run in brief without what is too large for that', () => {
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

    it('knows a run by its token, also after its end', () => {
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

    it('lists what has no end yet, in the order in which it came, whatever the clock said', () => {
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
