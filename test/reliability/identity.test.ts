import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, tempFolder } from '../support/hob.ts';
import { startTraced } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, bashLink, python, writeScript } from '../support/scripts.ts';
import { fileThere, linesOf } from '../support/until.ts';

const scenario = 'identity';
const linksAtOnce = 32;
const parentsAtOnce = 8;

const leafEntry = bash(`echo "{\\"code\\":0,\\"msg\\":\\"leaf\\",\\"run\\":\\"$HOB_RUN_ID\\"}" > "$output"`);

it('each of many concurrent links is attributed to the run that made it', patiently, async () => {
  const links = scaled(100, 2000);
  const eachMakes = 10;
  const parents = Math.ceil(links / eachMakes);
  const scripts = await tempFolder();
  const leaf = await writeScript(scripts, 'leaf', { node: true, entry: leafEntry });
  const parent = await writeScript(scripts, 'parent', {
    language: 'python',
    entry: python(`
from concurrent.futures import ThreadPoolExecutor
def link(_):
    return call("/api/link", {"script_id": "${leaf}"})[1]["result"]["run"]
with ThreadPoolExecutor(${linksAtOnce / parentsAtOnce}) as pool:
    children = list(pool.map(link, range(${eachMakes})))
write({"code": 0, "msg": env["run_id"], "children": children})
`),
  });
  const { hob } = await startTraced({ scripts: [scripts], settings: 'max_runs = 64\n' });
  const seen = new Set<string>();
  let misattributed = 0;
  let left = parents;
  const working = Array.from({ length: parentsAtOnce }, async () => {
    while (left > 0) {
      left -= 1;
      const { body, headers } = await hob.run(parent);
      const runId = headers.get('x-hob-run-id');
      expect(body.message).toBe(runId);
      const { children } = Object(body.result);
      expect(children).toHaveLength(eachMakes);
      for (const child of children) {
        const of = (await hob.get(`/api/runs/${child}`)).body;
        if (of.parent_run_id !== runId || of.depth !== 1 || seen.has(child)) misattributed += 1;
        seen.add(child);
      }
    }
  });
  await Promise.all(working);
  expect(seen.size).toBe(parents * eachMakes);
  record({ scenario, what: `links, ${linksAtOnce} at once`, value: seen.size, unit: '' });
  record({
    scenario,
    what: 'links with a wrong parent run',
    value: misattributed,
    unit: '',
    bound: { exactly: 0 },
  });
});

it(
  'a script that hard-codes the address of the service still reaches the end of its chain',
  patiently,
  async () => {
    const scripts = await tempFolder();
    const ledger = join(await tempFolder(), 'ledger');
    const id = await writeScript(scripts, 'hard-coded', {
      node: true,
      entry: bash(`
${bashLink}
base=$(sed -n 's/^ *"bare": "\\(.*\\)",*$/\\1/p' "$1")
own=$(sed -n 's/.*"script_id": "\\(.*\\)",*/\\1/p' "$1")
echo "$HOB_RUN_ID" >> "${ledger}"
link "$own" "{\\"bare\\":\\"$base\\"}"
echo "{\\"code\\":$status,\\"msg\\":\\"linked\\"}" > "$output"
`),
    });
    // If the chain is not traced, it ends when the queue wait times out. That is short, so that the test fails and does not hang.
    const { hob } = await startTraced({ scripts: [scripts], settings: 'max_runs = 20\nqueue_wait_s = 2\n' });
    await hob.run(id, { params: { bare: `http://127.0.0.1:${new URL(hob.url).port}` } });
    const runs = await linesOf(ledger);
    const records = [];
    for (const run of runs) records.push(await hob.ended(run));
    expect(records.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(records.map(({ parent_run_id }) => parent_run_id)).toEqual([null, ...runs.slice(0, 8)]);
    expect(records.map(({ result }) => Reflect.get(Object(result), 'code'))).toEqual([
      ...Array(8).fill(200),
      400,
    ]);
  },
);

it('any request with a made-up token gets 404', patiently, async () => {
  const scripts = await tempFolder();
  const files = await tempFolder();
  const leaf = await writeScript(scripts, 'leaf', { node: true, entry: leafEntry });
  const live = await writeScript(scripts, 'live', {
    entry: bash(`
sed -n 's/.*"api_base": "\\(.*\\)",*/\\1/p' "$1" > "${files}/part"; mv "${files}/part" "${files}/base"
until [ -e "${files}/go" ]; do sleep 0.02; done
`),
  });
  const { hob } = await startTraced({ scripts: [scripts] });
  const liveRun = hob.run(live);
  await fileThere(join(files, 'base'));
  const [base = ''] = await linesOf(join(files, 'base'));
  const token = base.slice(base.lastIndexOf('/') + 1);
  const [first = ''] = token;
  const forged = [
    ...Array.from({ length: scaled(20, 500) }, () => randomBytes(24).toString('base64url')),
    token.slice(1),
    `${token}A`,
    (first === 'A' ? 'B' : 'A') + token.slice(1),
    token.split('').reverse().join(''),
    encodeURIComponent("' OR 1=1 --"),
    '%00',
    'x'.repeat(5000),
  ];
  const taken: string[] = [];
  for (const each of forged) {
    for (const path of ['/api/link', '/api/execute']) {
      const { status, headers } = await hob.post(`/r/${each}${path}`, { script_id: leaf, sync: true });
      if (status !== 404 || headers.get('x-hob-error') !== 'run-token-unknown')
        taken.push(`${each}: ${status}`);
    }
  }
  expect(taken).toEqual([]);
  expect((await hob.post(`/r/${token}/api/link`, { script_id: leaf })).status).toBe(200);
  await writeFile(join(files, 'go'), '');
  await liveRun;
  record({ scenario, what: 'invented tokens', value: forged.length, unit: '' });
  record({
    scenario,
    what: 'invented tokens accepted',
    value: taken.length,
    unit: '',
    bound: { exactly: 0 },
  });
});

it('the token of an ended run keeps its depth, and grants nothing else', patiently, async () => {
  const scripts = await tempFolder();
  const files = await tempFolder();
  const addressWriter = bash(`
${bashLink}
echo "$base" >> "${files}/bases"
own=$(sed -n 's/.*"script_id": "\\(.*\\)",*/\\1/p' "$1")
left=$(sed -n 's/^ *"left": \\([0-9]*\\),*$/\\1/p' "$1")
[ "$left" = 0 ] || link "$own" "{\\"left\\":$((left - 1))}"
`);
  const chain = await writeScript(scripts, 'chain', {
    node: true,
    runtime: 'lock = "one"',
    entry: addressWriter,
  });
  const leaf = await writeScript(scripts, 'leaf', { node: true, entry: leafEntry });
  const locked = await writeScript(scripts, 'locked', {
    node: true,
    runtime: 'lock = "one"',
    entry: leafEntry,
  });
  const holder = await writeScript(scripts, 'holder', {
    runtime: 'lock = "one"',
    entry: bash(`touch "${files}/held"; until [ -e "${files}/go" ]; do sleep 0.02; done`),
  });
  const { hob } = await startTraced({ scripts: [scripts], settings: 'queue_wait_s = 1\n' });
  await hob.run(chain, { params: { left: 8 } });
  const bases = await linesOf(join(files, 'bases'));
  expect(bases).toHaveLength(9);
  for (const [depth, base] of bases.entries()) {
    const answer = await linkAt(hob, base, leaf);
    if (depth === 8) {
      expect([answer.status, answer.headers.get('x-hob-error')]).toEqual([400, 'chain-too-deep']);
      continue;
    }
    expect(answer.status).toBe(200);
    const child = (await hob.get(`/api/runs/${answer.headers.get('x-hob-run-id')}`)).body;
    expect(child.depth).toBe(depth + 1);
  }
  // Another run holds the lock now. The old token gives its caller no priority.
  const holding = hob.run(holder);
  await fileThere(join(files, 'held'));
  const late = await linkAt(hob, bases[0] ?? '', locked);
  expect([late.status, late.headers.get('x-hob-error')]).toEqual([503, 'queue-wait-exceeded']);
  await writeFile(join(files, 'go'), '');
  await holding;
  // Only a live run can report progress.
  const progress = await hob.post(`${pathOf(bases[0] ?? '')}/api/progress`, {
    fraction: 0.5,
    message: 'half',
  });
  expect(progress.status).toBeGreaterThanOrEqual(400);
});

const pathOf = (base: string) => new URL(base).pathname;

const linkAt = (hob: Hob, base: string, id: string) =>
  hob.post(`${pathOf(base)}/api/link`, { script_id: id });
