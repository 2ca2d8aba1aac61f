import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, tempFolder } from '../support/hob.ts';
import { drain, NumberedCheck, numberedOutput, openOutput } from '../support/output-client.ts';
import { peakMemoryMib, startTraced } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const scenario = 'follow';
const followMany = fileURLToPath(new URL('../support/follow-many.mjs', import.meta.url));
const settings = 'output_log_mib = 256\n';
const memoryLimitMib = 320;
const betweenPollsMs = 20;

const figure = (
  what: string,
  value: number,
  unit: string,
  bound?: { atMost: number } | { exactly: number },
) => record({ scenario, what, value, unit, ...(bound !== undefined && { bound }) });

/** A service with a script that writes numbers and waits for files at given offsets. */
async function serve(bytes: number, waits: readonly number[]) {
  const [scripts, files] = [await tempFolder(), await tempFolder()];
  const fileOf = (at: number) => join(files, String(at));
  const entry = numberedOutput({ bytes, waits: waits.map((at) => ({ at, file: fileOf(at) })) });
  const id = await writeScript(scripts, 'numbers', { language: 'node.js', entry });
  const { hob } = await startTraced({ scripts: [scripts], settings });
  return {
    hob,
    start: async () => String((await hob.post('/api/execute', { script_id: id })).body.run_id),
    /** Lets the script continue beyond this offset. */
    pass: (at: number) => writeFile(fileOf(at), ''),
  };
}

async function endOf(hob: Hob, runId: string): Promise<Record<string, unknown>> {
  const ended = async () => {
    const { body } = await hob.get(`/api/runs/${runId}`);
    return body.ended_at !== null && body;
  };
  return until(`${runId} has ended`, ended, patiently.timeout);
}

/** Reads until this offset, or a little more, and disconnects. */
async function takeUntil(hob: Hob, runId: string, check: NumberedCheck, stop: number): Promise<void> {
  const open = await openOutput(hob, runId, { follow: true, range: `bytes=${check.at}-` });
  expect(open.status).toBe(206);
  // A client that already has all bytes disconnects immediately.
  if (check.at < stop) {
    for await (const bytes of open.response) {
      check.take(bytes);
      if (check.at >= stop) break;
    }
  }
  open.hangUp();
}

it(
  'a follower that connects late and reconnects repeatedly gets every byte once and in order',
  patiently,
  async () => {
    const bytes = scaled(20_000_000, 200_000_000);
    const half = Math.floor(bytes / 2);
    const random = new SeededRandom();
    const { hob, start, pass } = await serve(bytes, [half]);
    const runId = await start();
    await until('a part is written', async () => {
      const { headers, hangUp } = await openOutput(hob, runId, { range: 'bytes=-1' });
      hangUp();
      return Number(/^bytes (\d+)/.exec(headers['content-range'] ?? '')?.[1]) > bytes / 4;
    });
    const check = new NumberedCheck();
    const stops = Array.from({ length: 20 }, () => random.between(1, bytes - 1)).sort((a, b) => a - b);
    const began = performance.now();
    for (const stop of stops) {
      if (stop > half) await pass(half);
      await takeUntil(hob, runId, check, stop);
    }
    await pass(half);
    const last = await openOutput(hob, runId, { follow: true, range: `bytes=${check.at}-` });
    expect((await drain(last, (each) => check.take(each))).isComplete).toBe(true);
    const seconds = (performance.now() - began) / 1000;

    expect(await endOf(hob, runId)).toMatchObject({ stdout_bytes: bytes, truncated: false });
    figure('written by a run', bytes / 1e6, 'MB');
    figure('disconnects of its follower', stops.length, '');
    figure('bytes missing or repeated', Math.abs(check.at - bytes), '', { exactly: 0 });
    figure('numbers at a wrong position', check.wrong, '', { exactly: 0 });
    figure('throughput of the follower', bytes / 1e6 / seconds, 'MB/s');
  },
);

it('many followers of one run all get the same bytes, and HTTP stays responsive', patiently, async () => {
  const bytes = scaled(4_000_000, 20_000_000);
  const followers = scaled(20, 200);
  const half = Math.floor(bytes / 2);
  const { hob, start, pass } = await serve(bytes, [half]);
  const runId = await start();
  let isOver = false;
  let answers = 0;
  const watching = (async () => {
    while (!isOver) {
      expect((await hob.get('/api/health')).status).toBe(200);
      answers += 1;
      await pause(betweenPollsMs);
    }
  })();
  const url = `${hob.url}/api/runs/${runId}/stdout?follow`;
  const began = performance.now();
  const child = spawn(process.execPath, [followMany, url, String(followers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('all have begun');
  await pass(half);
  const seen = JSON.parse(String((await lines.next()).value));
  const seconds = (performance.now() - began) / 1000;
  isOver = true;
  await watching;

  await endOf(hob, runId);
  expect(hob.log()).not.toContain('Warning');
  const expected = Buffer.alloc(bytes);
  for (let at = 0; at + 8 <= bytes; at += 8) expected.writeDoubleLE(at, at);
  const hash = createHash('sha256').update(expected).digest('hex');
  const same = Number(seen[hash] ?? 0);
  figure('concurrent followers of one run', followers, '');
  figure('followers that received wrong bytes', followers - same, '', { exactly: 0 });
  figure('throughput of all followers together', (followers * bytes) / 1e6 / seconds, 'MB/s');
  figure('peak memory of the service with many followers', await peakMemoryMib(hob.process.pid ?? 0), 'MiB', {
    atMost: memoryLimitMib,
  });
  figure('responses of GET /api/health meanwhile', answers, '');
});

it('followers that never read delay nothing', patiently, async () => {
  const bytes = scaled(20_000_000, 200_000_000);
  const silent = scaled(10, 100);
  const { hob, start } = await serve(bytes, []);
  const runId = await start();
  const stalled = await Promise.all(
    Array.from({ length: silent }, () => openOutput(hob, runId, { follow: true })),
  );
  onTestFinished(() => {
    for (const each of stalled) each.hangUp();
  });
  const check = new NumberedCheck();
  const reading = await openOutput(hob, runId, { follow: true });
  expect((await drain(reading, (each) => check.take(each))).isComplete).toBe(true);
  expect(await endOf(hob, runId)).toMatchObject({ stdout_bytes: bytes, truncated: false });
  figure('followers that never read', silent, '');
  figure('bytes missing or repeated for another follower', Math.abs(check.at - bytes) + check.wrong, '', {
    exactly: 0,
  });
  figure(
    'peak memory of the service with followers that never read',
    await peakMemoryMib(hob.process.pid ?? 0),
    'MiB',
    { atMost: memoryLimitMib },
  );
});
