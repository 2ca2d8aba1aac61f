import { describe, expect, it } from 'vitest';

import { parseExposition } from '../../test/support/exposition.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import type { RunRecord } from '../runs/run-record.ts';
import { createLogger } from '../shared/log.ts';
import { Metrics } from './metrics.ts';

const queuedAt = '2026-01-01T00:00:00.000Z';

const waiting = queuedRun({
  scriptId: '22222222-2222-4222-8222-222222222222',
  scriptName: 'Tidy',
  queuedAt,
});
const ended: RunRecord = {
  ...waiting,
  state: 'succeeded',
  endCause: 'exit',
  startedAt: queuedAt,
  durationMs: 2000,
  stdoutBytes: 5,
  stderrBytes: 7,
};
const script = { script_id: waiting.scriptId, script: 'Tidy' };

/** The time `ms` milliseconds after the run was queued. */
function queuedPlus(ms: number): string {
  return new Date(Date.parse(queuedAt) + ms).toISOString();
}

async function newMetrics() {
  const metrics = new Metrics({ version: '1.2.3', log: await createLogger('silent') });
  return { metrics, read: async () => parseExposition(await metrics.write()) };
}

describe('runs', () => {
  it('are counted when they are accepted, started and ended', async () => {
    const { metrics, read } = await newMetrics();
    metrics.runs.note({ type: 'queued', run: waiting });
    metrics.runs.note({ type: 'started', run: { ...waiting, startedAt: queuedPlus(200) } });
    metrics.runs.note({ type: 'ended', run: ended });
    const text = await read();
    expect(text.value('hob_runs_accepted_total', { ...script, origin: 'execute' })).toBe(1);
    expect(text.value('hob_run_wait_seconds_sum')).toBe(0.2);
    const outcome = { state: 'succeeded', end_cause: 'exit', origin: 'execute' };
    expect(text.value('hob_runs_ended_total', { ...script, ...outcome })).toBe(1);
    expect(text.value('hob_run_duration_seconds_bucket', { ...script, le: '1' })).toBe(0);
    expect(text.value('hob_run_duration_seconds_bucket', { ...script, le: '3' })).toBe(1);
    expect(text.value('hob_run_duration_seconds_sum', script)).toBe(2);
    expect(text.value('hob_run_output_bytes_total', { stream: 'stdout' })).toBe(5);
    expect(text.value('hob_run_output_bytes_total', { stream: 'stderr' })).toBe(7);
  });

  it('that never started are counted without a duration', async () => {
    const { metrics, read } = await newMetrics();
    const record: RunRecord = {
      ...waiting,
      state: 'failed',
      endCause: 'spawn-failed',
      durationMs: 0,
      stdoutBytes: 0,
      stderrBytes: 0,
    };
    metrics.runs.note({ type: 'ended', run: record });
    const text = await read();
    expect(text.series('hob_runs_ended_total')).toMatchObject([{ labels: { end_cause: 'spawn-failed' } }]);
    expect(text.series('hob_run_duration_seconds_count')).toEqual([]);
  });

  it('have a wait of 0 if the clock was set back before the start', async () => {
    const { metrics, read } = await newMetrics();
    metrics.runs.note({ type: 'started', run: { ...waiting, startedAt: queuedPlus(-60_000) } });
    expect((await read()).value('hob_run_wait_seconds_sum')).toBe(0);
  });

  it.each([['say "hi"'], ['two\nlines'], ['back\\slash \\n'], ['整理 下载'], ['a",b="{}']])(
    'of a script named %j keep the exact name',
    async (scriptName) => {
      const { metrics, read } = await newMetrics();
      metrics.runs.note({ type: 'ended', run: { ...ended, scriptName } });
      const text = await read();
      for (const name of ['hob_runs_ended_total', 'hob_run_duration_seconds_count']) {
        expect(text.series(name)).toMatchObject([{ labels: { script: scriptName }, value: 1 }]);
      }
    },
  );
});

describe('requests', () => {
  it('that are refused are counted by code, separately for access rules', async () => {
    const { metrics, read } = await newMetrics();
    const before = await read();
    expect(before.value('hob_door_refusals_total', { rule: 'door-origin' })).toBe(0);
    expect(before.value('hob_refusals_total', { code: 'queue-full' })).toBe(0);
    expect(before.value('hob_refusals_total', { code: 'door-origin' })).toBeUndefined();
    metrics.http.refused('door-origin');
    metrics.http.refused('queue-full');
    const after = await read();
    after.assertGrownFrom(before);
    expect(after.value('hob_door_refusals_total', { rule: 'door-origin' })).toBe(1);
    expect(after.value('hob_refusals_total', { code: 'queue-full' })).toBe(1);
  });

  it('are counted by route, method and class of status', async () => {
    const { metrics, read } = await newMetrics();
    metrics.http.answered({ route: '/api/runs/:id', method: 'GET', status: 204, durationMs: 5 });
    metrics.http.answered({ route: undefined, method: 'PROPFIND', status: 404, durationMs: 1 });
    metrics.http.answered({ route: '/api/execute', method: 'POST', status: undefined, durationMs: null });
    const text = await read();
    expect(text.series('hob_http_answers_total').map(({ labels }) => Object.values(labels))).toEqual([
      ['/api/runs/:id', 'GET', '2xx'],
      ['unmatched', 'other', '4xx'],
      ['/api/execute', 'POST', 'none'],
    ]);
    expect(text.series('hob_http_answer_duration_seconds_count').map(({ labels }) => labels.route)).toEqual([
      '/api/runs/:id',
      'unmatched',
    ]);
  });
});

describe('a value that is read on demand', () => {
  it('is current, and may be asynchronous', async () => {
    const { metrics, read } = await newMetrics();
    let stock = 1;
    metrics.addGauge({ name: 'hob_stock', help: 'How many.', read: async () => stock });
    expect((await read()).value('hob_stock')).toBe(1);
    stock = 0;
    expect((await read()).value('hob_stock')).toBe(0);
  });

  it('is omitted while it cannot be read, without affecting others', async () => {
    const { metrics, read } = await newMetrics();
    let isBroken = false;
    const count = () => {
      if (isBroken) throw new Error('closed');
      return 1;
    };
    metrics.addGauge({ name: 'hob_stock', help: 'How many.', read: count });
    expect((await read()).value('hob_stock')).toBe(1);
    isBroken = true;
    const text = await read();
    expect(text.value('hob_stock')).toBeUndefined();
    expect(text.value('hob_build_info', { version: '1.2.3', interface: '0.3.0' })).toBe(1);
    isBroken = false;
    expect((await read()).value('hob_stock')).toBe(1);
  });

  it('and is text is shown as a label, one at a time', async () => {
    const { metrics, read } = await newMetrics();
    let kind: string | null = null;
    metrics.addInfo({ name: 'hob_box_info', help: 'Which box.', label: 'kind', read: () => kind });
    expect((await read()).series('hob_box_info')).toEqual([]);
    kind = 'old';
    await read();
    kind = 'new';
    expect((await read()).series('hob_box_info')).toMatchObject([{ labels: { kind: 'new' }, value: 1 }]);
  });
});

it('counts separately for two services in one process', async () => {
  const [one, other] = [await newMetrics(), await newMetrics()];
  one.metrics.noteExecutor('lost');
  expect((await one.read()).value('hob_executor_losses_total')).toBe(1);
  const text = await other.read();
  expect(text.value('hob_executor_losses_total')).toBe(0);
  expect(text.value('process_start_time_seconds')).toBeGreaterThan(0);
});
