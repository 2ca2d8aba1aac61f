import { readdirSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { executorPid } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { makeWarm, openWarmService, type WarmService, warmOf } from '../support/warm-service.ts';

const isHere = has('Python on Linux', process.platform === 'linux' && findProgram('python3') !== null);

/** Prints its run id and a mark between two halves of a text of the given size. */
const echo = {
  python: [
    'main.py',
    `import json, os, sys
run = json.load(open(sys.argv[1], encoding="utf-8"))
half = "x" * (run["params"]["size"] // 2)
print(half)
print(run["environment"]["run_id"], os.environ["HOB_RUN_ID"], run["params"]["mark"])
print(half)
sys.exit(run["params"]["mark"] % 100)
`,
  ],
  'node.js': [
    'main.mjs',
    `import { readFileSync, writeSync } from 'node:fs';
const { environment, params } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const half = 'x'.repeat(params.size / 2);
const say = (text) => { const bytes = Buffer.from(text + '\\n'); for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done); };
say(half);
say(\`\${environment.run_id} \${process.env.HOB_RUN_ID} \${params.mark}\`);
say(half);
process.exitCode = params.mark % 100;
`,
  ],
} as const;

const callers = 8;

describe.skipIf(!isHere)('many warm runs', () => {
  let service: WarmService;
  beforeAll(async () => {
    service = await openWarmService('');
  });
  afterAll(() => service.close());

  /** Runs a script many times from several callers, each run with its own mark, and checks every answer. */
  async function runMany(id: string, count: number, sizeOf: (mark: number) => number): Promise<void> {
    let next = 0;
    const call = async () => {
      for (let mark = next++; mark < count; mark = next++) {
        const size = sizeOf(mark);
        const { body, headers } = await service.hob.run(id, { params: { mark, size } });
        const runId = headers.get('x-hob-run-id');
        const half = 'x'.repeat(size / 2);
        // Compared as a boolean, because some are long.
        const isWhole = body.stdout === `${half}\n${runId} ${runId} ${mark}\n${half}\n`;
        expect({ mark, isWhole, stderr: body.stderr, exit_code: body.exit_code }).toEqual({
          mark,
          isWhole: true,
          stderr: '',
          exit_code: mark % 100,
        });
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
  }

  it('of Python by several callers never mix, are complete, and leave no file handle open', async () => {
    const { hob, add } = service;
    const id = await add('python', { language: 'python', entry: [...echo.python] });
    const params = { mark: 0, size: 0 };
    await makeWarm(hob, id, { params });
    // Fills the pool to its maximum.
    await runMany(id, 100, () => 0);
    const handles = await settledHandles();
    const before = await warmOf(hob);
    await runMany(id, 300, (mark) => (mark % 20 === 0 ? 1_000_000 : 0));
    const after = await warmOf(hob);
    expect(after.hits + after.misses - before.hits - before.misses).toBe(300);
    expect(after.hits - before.hits).toBeGreaterThan(250);
    // A few more may wait by now, each with three file handles.
    const mostWaiting = 8;
    expect(await settledHandles()).toBeLessThanOrEqual(handles + 3 * mostWaiting);
  });

  it('of Node by several callers never mix and are complete, warm or cold', async () => {
    const { hob, add } = service;
    const id = await add('node', { language: 'node.js', entry: [...echo['node.js']] });
    await makeWarm(hob, id, { params: { mark: 0, size: 0 } });
    const before = await warmOf(hob);
    await runMany(id, 40, (mark) => (mark % 10 === 0 ? 1_000_000 : 0));
    expect((await warmOf(hob)).hits).toBeGreaterThan(before.hits);
  });

  it('leave nothing in the folder of the executor', () => {
    const names = readdirSync(`${service.hob.home}/executor`).map((name) =>
      name.replace(/^\d+-[0-9a-f]+/, ''),
    );
    expect(names.sort()).toEqual(['-address.json', '-runs.jsonl', '.sock', 'executor.log']);
  });

  /** How many files the executor has open, once two counts in a row agree. */
  async function settledHandles(): Promise<number> {
    const pid = await executorPid(service.hob.home);
    let last = -1;
    return until('the executor keeps its number of handles', async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const now = readdirSync(`/proc/${pid}/fd`).length;
      const isSettled = now === last;
      last = now;
      return isSettled && now;
    });
  }
});
