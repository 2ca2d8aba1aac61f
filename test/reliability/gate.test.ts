import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, tempFolder } from '../support/hob.ts';
import { startTraced } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, bashLink, writeScript } from '../support/scripts.ts';
import { fileThere, linesOf, until } from '../support/until.ts';

const scenario = 'gate';

/** Links itself as many times as `left` says. Each level returns the code of the level below. */
const descending = bash(`
${bashLink}
left=$(sed -n 's/^ *"left": \\([0-9]*\\),*$/\\1/p' "$1")
own=$(sed -n 's/.*"script_id": "\\(.*\\)",*/\\1/p' "$1")
if [ "$left" = 0 ]; then echo '{"code":0,"msg":"bottom"}' > "$output"; exit; fi
link "$own" "{\\"left\\":$((left - 1))}"
case $answer in
  *'"msg":"bottom"'*) echo '{"code":0,"msg":"bottom"}' > "$output" ;;
  *) echo "{\\"code\\":$status,\\"msg\\":\\"no bottom\\"}" > "$output" ;;
esac
`);

const holding = (files: string) =>
  bash(
    `touch "${files}/held"; until [ -e "${files}/go" ]; do sleep 0.02; done; echo '{"code":0,"msg":"held"}' > "$output"`,
  );

async function expectIdle(hob: Hob): Promise<void> {
  expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
}

it('chains of 8 links all succeed for many concurrent callers with only one slot', patiently, async () => {
  const callers = scaled(12, 50);
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'descending', { node: true, entry: descending });
  const { hob } = await startTraced({ scripts: [scripts], settings: 'max_runs = 1\nqueue_wait_s = 600\n' });
  const runs = Array.from({ length: callers }, async () => {
    // Asynchronous, so that no timeout of a client interferes.
    const { body } = await hob.post('/api/execute', { script_id: id, params: { left: 8 } });
    return String(body.run_id);
  });
  const ended = [];
  for (const run of await Promise.all(runs)) ended.push(await hob.ended(run));
  const well = ended.filter(({ result }) => Reflect.get(Object(result), 'msg') === 'bottom');
  expect(ended.filter((each) => !well.includes(each)).map(({ result }) => result)).toEqual([]);
  await expectIdle(hob);
  record({ scenario, what: 'concurrent chains of 8 links, one run at a time', value: callers, unit: '' });
  record({
    scenario,
    what: 'chains that succeeded',
    value: well.length,
    unit: '',
    bound: { exactly: callers },
  });
});

it('a script with concurrency 1 that links itself succeeds for concurrent callers', patiently, async () => {
  const callers = scaled(5, 20);
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'narrow', {
    node: true,
    runtime: 'concurrency = 1',
    entry: descending,
  });
  const { hob } = await startTraced({ scripts: [scripts], settings: 'queue_wait_s = 600\n' });
  const answers = await Promise.all(
    Array.from({ length: callers }, () => hob.run(id, { params: { left: 8 } })),
  );
  expect(answers.map(({ body }) => body.message)).toEqual(Array(callers).fill('bottom'));
  await expectIdle(hob);
});

it('chains that need each other’s locks never wait forever', patiently, async () => {
  const rounds = scaled(15, 200);
  const scripts = await tempFolder();
  const inner = (name: string, lock: string) =>
    writeScript(scripts, name, {
      node: true,
      runtime: `lock = "${lock}"`,
      entry: bash('echo \'{"code":0,"msg":"inner"}\' > "$output"'),
    });
  const outer = (name: string, lock: string, target: string) =>
    writeScript(scripts, name, {
      runtime: `lock = "${lock}"`,
      entry: bash(
        `${bashLink}\nlink ${target} '{}'\necho "{\\"code\\":$status,\\"msg\\":\\"outer\\"}" > "$output"`,
      ),
    });
  const a = await outer('a', 'x', await inner('b', 'y'));
  const c = await outer('c', 'y', await inner('d', 'x'));
  const { hob } = await startTraced({ scripts: [scripts] });
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const answers = await Promise.all([hob.run(a), hob.run(c), hob.run(a), hob.run(c)]);
    const codes = answers.map(({ body }) => Reflect.get(Object(body.result), 'code'));
    for (const code of codes) expect([200, 503]).toContain(code);
    // A circle needs two chains, and refusing one of them breaks it.
    expect(codes).toContain(200);
    refused += codes.filter((code) => code === 503).length;
  }
  await expectIdle(hob);
  record({
    scenario,
    what: 'rounds of four chains that need each other\u2019s locks',
    value: rounds,
    unit: '',
  });
  record({
    scenario,
    what: 'links refused because they would close a circle',
    value: refused,
    unit: '',
  });
});

it('runs start in the order of their requests', patiently, async () => {
  const count = scaled(25, 200);
  const scripts = await tempFolder();
  const files = await tempFolder();
  const blocker = await writeScript(scripts, 'blocker', { entry: holding(files) });
  const ledger = join(files, 'ledger');
  const id = await writeScript(scripts, 'in-order', {
    entry: ['main.sh', `echo "$HOB_RUN_ID" >> "${ledger}"\n`],
  });
  const { hob } = await startTraced({ scripts: [scripts], settings: 'max_runs = 1\n' });
  const held = hob.run(blocker);
  await fileThere(join(files, 'held'));
  const came: string[] = [];
  for (let index = 0; index < count; index++)
    came.push(String((await hob.post('/api/execute', { script_id: id })).body.run_id));
  await writeFile(join(files, 'go'), '');
  expect((await held).body.message).toBe('held');
  for (const run of came) await hob.ended(run);
  expect(await linesOf(ledger)).toEqual(came);
  record({
    scenario,
    what: 'queued runs that began in order of arrival',
    value: count,
    unit: '',
  });
});

it('only one run at a time holds a lock, however many are started at once', patiently, async () => {
  const triggers = 200;
  const scripts = await tempFolder();
  const ledger = join(await tempFolder(), 'ledger');
  const script = (name: string) =>
    writeScript(scripts, name, {
      runtime: 'lock = "one"',
      // As little work as possible: what counts is the moment between the two lines.
      entry: [
        'main.sh',
        `echo start >> "${ledger}"\nfor i in {1..200}; do :; done\necho end >> "${ledger}"\n`,
      ],
    });
  const ids = [await script('first'), await script('second')];
  const { hob } = await startTraced({ scripts: [scripts] });
  const answers = await Promise.all(
    Array.from({ length: triggers }, (_, index) => hob.post('/api/execute', { script_id: ids[index % 2] })),
  );
  for (const { body } of answers)
    expect(await hob.ended(String(body.run_id))).toMatchObject({ end_cause: 'exit', exit_code: 0 });
  const marks = await linesOf(ledger);
  const overlaps = marks.filter((mark, index) => mark !== (index % 2 === 0 ? 'start' : 'end')).length;
  expect(marks).toHaveLength(2 * triggers);
  record({ scenario, what: 'concurrent runs with one lock', value: triggers, unit: '' });
  record({ scenario, what: 'runs that overlapped', value: overlaps, unit: '', bound: { exactly: 0 } });
});

it('calls beyond the queue limit get 503, and the others succeed', patiently, async () => {
  const maxQueued = 5;
  const scripts = await tempFolder();
  const files = await tempFolder();
  const blocker = await writeScript(scripts, 'blocker', { entry: holding(files) });
  const quick = await writeScript(scripts, 'quick', { entry: ['main.sh', 'exit 4\n'] });
  const { hob } = await startTraced({
    scripts: [scripts],
    settings: `max_runs = 1\nmax_queued = ${maxQueued}\n`,
  });
  const held = hob.run(blocker);
  await fileThere(join(files, 'held'));
  const calls = Array.from({ length: 50 }, (_, index) =>
    hob.post('/api/execute', { script_id: quick, sync: index % 2 === 0 }),
  );
  await until('the queue is full', async () => (await hob.get('/api/health')).body.queued === maxQueued);
  // A call that arrives late would get a place when the first run is done, so wait for all refusals.
  let turnedAway = 0;
  for (const call of calls) void call.then(({ status }) => (turnedAway += status === 503 ? 1 : 0));
  await until('the others are refused', async () => turnedAway === calls.length - maxQueued);
  const refusals = [];
  for (let index = 0; index < 10; index++) refusals.push(await hob.run(quick));
  await writeFile(join(files, 'go'), '');
  expect((await held).body.message).toBe('held');
  const answers = await Promise.all(calls);
  refusals.push(...answers.filter(({ status }) => status !== 200));
  expect(refusals).toHaveLength(10 + 50 - maxQueued);
  for (const { status, headers, body } of refusals) {
    expect({ status, body }).toEqual({ status: 503, body: { status: 'error', message: expect.any(String) } });
    expect(headers.get('x-hob-error')).toBe('queue-full');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  for (const { body, headers } of answers.filter(({ status }) => status === 200)) {
    const run = String(body.run_id ?? headers.get('x-hob-run-id'));
    expect(await hob.ended(run)).toMatchObject({ end_cause: 'exit', exit_code: 4 });
  }
  await expectIdle(hob);
});
