import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, tempFolder } from '../support/hob.ts';
import { startTraced } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { linesOf, until } from '../support/until.ts';

const scenario = 'hang-up';
const mib = 1024 * 1024;
const large = 50_000_000;

/** Sends a synchronous call and resets the connection. */
async function callAndHangUp(hob: Hob, id: string, params: object, afterMs: number): Promise<void> {
  const { hostname, port } = new URL(hob.url);
  const body = JSON.stringify({ script_id: id, sync: true, params });
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  const head = `POST /api/execute HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json`;
  await new Promise((resolve) =>
    socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, resolve),
  );
  await pause(afterMs);
  socket.resetAndDestroy();
}

it(
  'callers that disconnect at any moment leave their runs to finish, and the results are on record',
  patiently,
  async () => {
    const callers = scaled(30, 300);
    const random = new SeededRandom();
    const scripts = await tempFolder();
    const ledger = join(await tempFolder(), 'ledger');
    const id = await writeScript(scripts, 'slow', {
      entry: bash(`
mark=$(sed -n 's/^ *"mark": \\([0-9]*\\),*$/\\1/p' "$1")
echo "$mark $HOB_RUN_ID" >> "${ledger}"
sleep 0.3
head -c 300000 /dev/zero
echo "{\\"code\\":$mark,\\"msg\\":\\"done anyway\\"}" > "$output"
exit 5
`),
    });
    const { hob } = await startTraced({
      scripts: [scripts],
      settings: 'heartbeat_s = 0.1\nqueue_wait_s = 600\n',
    });
    const marks = Array.from({ length: callers }, (_, index) => index);
    await Promise.all(marks.map((mark) => callAndHangUp(hob, id, { mark }, random.between(10, 600))));
    // A request whose body has arrived becomes a run, even if its caller has disconnected.
    await until('every run has begun', async () => (await linesOf(ledger)).length >= callers);
    const begun = (await linesOf(ledger)).map((line) => line.split(' '));
    let unknown = 0;
    for (const [mark, runId = ''] of begun) {
      const run = await hob.ended(runId);
      const isRight =
        run.exit_code === 5 &&
        run.end_cause === 'exit' &&
        run.stdout_bytes === 300_000 &&
        Reflect.get(Object(run.result), 'code') === Number(mark);
      if (!isRight) unknown += 1;
    }
    expect(begun.map(([mark]) => Number(mark)).sort((a, b) => a - b)).toEqual(marks);
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
    record({ scenario, what: 'callers that disconnected', value: callers, unit: '' });
    record({
      scenario,
      what: 'runs of these callers without a recorded result',
      value: unknown,
      unit: '',
      bound: { exactly: 0 },
    });
  },
);

it(
  'an envelope of 50 MB is refused with the limit named, in the answer and in the record',
  patiently,
  async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'large', {
      entry: bash(
        `{ printf '{"code":0,"msg":"'; head -c ${large} /dev/zero | tr '\\0' x; printf '"}'; } > "$output"`,
      ),
    });
    const { hob } = await startTraced({ scripts: [scripts] });
    const { body, headers } = await hob.run(id, {});
    expect(body).toMatchObject({ success: true, exit_code: 0, result: { code: -3 } });
    expect(body.message).toContain(String(16 * mib));
    const run = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
    expect(run).toMatchObject({ state: 'succeeded', envelope: 'synthesized', result: body.result });
  },
);

it('the answer and the record of an output of 50 MB say how much is missing', patiently, async () => {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'large', {
    entry: bash(`head -c ${large} /dev/zero | tr '\\0' x; echo '{"code":0,"msg":"ok"}' > "$output"`),
  });
  const { hob } = await startTraced({ scripts: [scripts], settings: 'output_log_mib = 32\n' });
  const { body, headers } = await hob.run(id);
  const half = 'x'.repeat(8 * mib);
  const runId = headers.get('x-hob-run-id');
  const log = join(hob.home, 'runs', String(runId), 'stdout.log');
  const mark = `\n[... ${large - 16 * mib} bytes left out by Hob ...] The kept part is in ${log}\n`;
  expect(body).toMatchObject({ success: true, message: 'ok' });
  // Compared as a boolean, because the difference of two such texts is too large to print.
  expect(body.stdout === half + mark + half).toBe(true);
  const run = (await hob.get(`/api/runs/${runId}`)).body;
  expect(run).toMatchObject({ stdout_bytes: large, stderr_bytes: 0, truncated: true });
});

it('a request of 50 MB gets 413, and starts nothing', patiently, async () => {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'script');
  const { hob } = await startTraced({ scripts: [scripts] });
  const text = 'x'.repeat(large);
  const answer = await hob
    .post('/api/execute', { script_id: id, params: { text } })
    .catch((error: unknown) => error);
  // A client that keeps sending may find the connection closed before it can read the refusal.
  if (answer instanceof Error) expect(String(answer)).toContain('fetch failed');
  else expect(answer).toMatchObject({ status: 413, body: { status: 'error' } });
  expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
});
