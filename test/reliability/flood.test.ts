import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { executorPid, tempFolder } from '../support/hob.ts';
import { peakMemoryMib, startTraced } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const scenario = 'flood';
const mib = 1024 * 1024;
const logMib = 32;
const settings = `output_log_mib = ${logMib}\noutput_answer_mib = 1\n`;
const memoryLimitMib = 200;
const betweenPollsMs = 20;

const flood = (streamBytes: number) =>
  bash(`
head -c ${streamBytes} /dev/zero &
head -c ${streamBytes} /dev/zero >&2 &
wait
echo '{"code":0,"msg":"flooded"}' > "$output"
`);

async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).blocks * 512));
  return sizes.reduce((sum, size) => sum + size, 0);
}

it(
  'two floods of output stay within memory and disk limits, every byte is counted, and HTTP stays responsive',
  patiently,
  async () => {
    const runBytes = scaled(200_000_000, 5_000_000_000);
    const streamBytes = Math.floor(runBytes / 2);
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'flood', { entry: flood(streamBytes) });
    const { hob } = await startTraced({ scripts: [scripts], settings });
    const began = performance.now();
    const runs: string[] = [];
    for (let run = 0; run < 2; run++)
      runs.push(String((await hob.post('/api/execute', { script_id: id })).body.run_id));

    let isOver = false;
    let mostDisk = 0;
    let answers = 0;
    const watching = (async () => {
      while (!isOver) {
        expect((await hob.get('/api/health')).status).toBe(200);
        answers += 1;
        for (const run of runs)
          mostDisk = Math.max(mostDisk, await folderBytes(join(hob.home, 'runs', run)).catch(() => 0));
        await pause(betweenPollsMs);
      }
    })();
    const records: Record<string, unknown>[] = [];
    for (const run of runs) {
      // Polls rarely, because frequent requests would slow down what is measured.
      const ended = async () => {
        const { body } = await hob.get(`/api/runs/${run}`);
        return body.ended_at !== null && body;
      };
      records.push(await until(`${run} has ended`, ended, patiently.timeout));
    }
    const seconds = (performance.now() - began) / 1000;
    isOver = true;
    await watching;

    for (const each of records) {
      expect(each).toMatchObject({ state: 'succeeded', truncated: true, result: { msg: 'flooded' } });
    }
    for (const run of runs) mostDisk = Math.max(mostDisk, await folderBytes(join(hob.home, 'runs', run)));
    const figure = (what: string, value: number, unit: string, atMost?: number) =>
      record({ scenario, what, value, unit, ...(atMost !== undefined && { bound: { atMost } }) });
    figure('written by each of two runs', (2 * streamBytes) / 1e6, 'MB');
    const counted = records.flatMap((each) => [Number(each.stdout_bytes), Number(each.stderr_bytes)]);
    figure(
      'bytes counted wrongly',
      Math.max(...counted.map((bytes) => Math.abs(bytes - streamBytes))),
      'bytes',
      0,
    );
    figure('throughput of both together', (4 * streamBytes) / 1e6 / seconds, 'MB/s');
    figure('peak memory of the service', await peakMemoryMib(hob.process.pid ?? 0), 'MiB', memoryLimitMib);
    figure(
      'peak memory of the executor',
      await peakMemoryMib(await executorPid(hob.home)),
      'MiB',
      memoryLimitMib,
    );
    figure('maximum disk use of one run', mostDisk / mib, 'MiB', 2 * logMib + 1);
    figure('responses of GET /api/health meanwhile', answers, '');
  },
);

it('the answer to a flood of output says how much is missing', patiently, async () => {
  const streamBytes = scaled(50_000_000, 500_000_000);
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'flood', { entry: flood(streamBytes) });
  const { hob } = await startTraced({ scripts: [scripts], settings });
  const { body, headers } = await hob.run(id);
  const runId = String(headers.get('x-hob-run-id'));
  const half = '\0'.repeat(mib / 2);
  const expected = ['stdout', 'stderr'].map((stream) => {
    const log = join(hob.home, 'runs', runId, `${stream}.log`);
    return `${half}\n[... ${streamBytes - mib} bytes left out by Hob ...] The kept part is in ${log}\n${half}`;
  });
  expect(body).toMatchObject({ success: true, message: 'flooded' });
  // Compared as booleans, because the difference of two such texts is too large to print.
  expect([body.stdout === expected[0], body.stderr === expected[1]]).toEqual([true, true]);
  const run = (await hob.get(`/api/runs/${runId}`)).body;
  expect(run).toMatchObject({ stdout_bytes: streamBytes, stderr_bytes: streamBytes, truncated: true });
});
