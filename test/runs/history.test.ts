import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

type Fields = Record<string, unknown>;

/** Prints a given text, and ends in a given way. */
const printing = bash(
  `msg=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["params"].get("msg", "done"))' "$1")
echo "{\\"code\\": 0, \\"msg\\": \\"$msg\\"}" > "$output"
case "$msg" in fail*) exit 3;; esac`,
);

async function items(hob: Hob, query = ''): Promise<Fields[]> {
  const { status, body } = await hob.get(`/api/runs${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return list(body.items);
}

function list(value: unknown): Fields[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value;
}

const idsOf = (runs: readonly Fields[]) => runs.map(({ run_id }) => run_id);

async function runIdOf(hob: Hob, script: string, rest: Fields = {}): Promise<string> {
  return (await hob.run(script, rest)).headers.get('x-hob-run-id') ?? '';
}

async function twoScripts() {
  const scripts = await tempFolder();
  const resize = await writeScript(scripts, 'resize', { name: 'Resize images', entry: printing });
  const 统计 = await writeScript(scripts, '统计', { name: '统计文字', entry: printing });
  return { scripts, resize, 统计 };
}

const service = shareService();

describe('the latest outcomes', () => {
  it('are brief records of the last runs of each script, or of the given scripts', async () => {
    const { scripts, resize, 统计 } = await twoScripts();
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.get('/api/outcomes')).body).toEqual({ items: [] });
    const a = await runIdOf(hob, resize);
    const b = await runIdOf(hob, 统计);
    const c = await runIdOf(hob, resize, { params: { msg: 'fail' } });
    const word = ({ run_id, state, end_cause, queued_at, duration_ms }: Fields) => ({
      run_id,
      state,
      end_cause,
      queued_at,
      duration_ms,
    });
    const runs = new Map((await items(hob)).map((run) => [run.run_id, word(run)]));
    const resized = { script_id: resize, script_name: 'Resize images', runs: [runs.get(c), runs.get(a)] };
    const counted = { script_id: 统计, script_name: '统计文字', runs: [runs.get(b)] };
    expect((await hob.get('/api/outcomes')).body).toEqual({ items: [resized, counted] });
    const few = await hob.get(`/api/outcomes?limit=1&script=${resize.toUpperCase()}`);
    expect(few.body).toEqual({ items: [{ ...resized, runs: [runs.get(c)] }] });
    const some = await hob.get(`/api/outcomes?script=${统计},${resize}`);
    expect(some.body).toEqual({ items: [resized, counted] });
    for (const query of ['limit=0', 'limit=101', 'script=x', 'days=1'])
      expect((await hob.get(`/api/outcomes?${query}`)).status, query).toBe(400);
  });
});

describe('the list of runs', () => {
  it('has every run, the newest first, in the form of its record', async () => {
    const { scripts, resize, 统计 } = await twoScripts();
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.get('/api/runs')).body).toEqual({ items: [], next: null });
    const runs = [await runIdOf(hob, resize), await runIdOf(hob, 统计, { params: { msg: 'fail: 读不了' } })];
    const listed = await items(hob);
    expect(idsOf(listed)).toEqual([...runs].reverse());
    expect(listed).toEqual(
      await Promise.all([...runs].reverse().map(async (id) => (await hob.get(`/api/runs/${id}`)).body)),
    );
    expect(listed[0]).toMatchObject({
      state: 'failed',
      exit_code: 3,
      script_name: '统计文字',
      result: { code: 0, msg: 'fail: 读不了' },
      params: { msg: 'fail: 读不了' },
    });
  });

  it('can be filtered by every field, and searched', async () => {
    const { scripts, resize, 统计 } = await twoScripts();
    const hob = await startHob({ scripts: [scripts] });
    const a = await runIdOf(hob, resize, { params: { msg: 'three pictures' } });
    const b = await runIdOf(hob, resize, { params: { msg: 'fail: no such file' } });
    const between = new Date().toISOString();
    const c = await runIdOf(hob, 统计, { params: { msg: '共有三个字' } });
    const answer = await hob.post('/api/execute', { script_id: 统计, sync: true }, { 'x-hob-origin': 'cli' });
    const d = answer.headers.get('x-hob-run-id') ?? '';
    const found = async (query: string) => idsOf(await items(hob, `?${query}`));
    expect(await found(`script=${resize.toUpperCase()}`)).toEqual([b, a]);
    expect(await found('state=failed')).toEqual([b]);
    expect(await found('state=succeeded,failed')).toEqual([d, c, b, a]);
    expect(await found('end_cause=exit')).toEqual([d, c, b, a]);
    expect(await found('end_cause=timeout,lost')).toEqual([]);
    expect(await found('origin=cli')).toEqual([d]);
    expect(await found(`since=${between}`)).toEqual([d, c]);
    expect(await found(`until=${between}`)).toEqual([b, a]);
    expect(await found('q=PICTURES')).toEqual([a]);
    expect(await found('q=resize')).toEqual([b, a]);
    expect(await found(`q=${encodeURIComponent('三个')}`)).toEqual([c]);
    expect(await found(`q=${encodeURIComponent('统计文字')}`)).toEqual([d, c]);
    expect(await found(`script=${resize}&state=failed&q=such`)).toEqual([b]);
    expect(await found('state=running')).toEqual([]);
    expect(await found('q=')).toEqual([d, c, b, a]);
  });

  it('gives the same search results after its maintenance', async () => {
    const { scripts, resize } = await twoScripts();
    const hob = await startHob({ scripts: [scripts] });
    const runId = await runIdOf(hob, resize, { params: { msg: 'three pictures' } });
    await until('the sizes are known', async () => historyOf(await hob.get('/api/stats')).bytes > 0);
    expect(idsOf(await items(hob, '?q=ee%20pict'))).toEqual([runId]);
    expect(idsOf(await items(hob, '?q=ee%20pics'))).toEqual([]);
  });

  it('comes in pages that contain each run once, also while new runs start', async () => {
    const { scripts, resize } = await twoScripts();
    const hob = await startHob({ scripts: [scripts] });
    const runs: string[] = [];
    for (let run = 0; run < 7; run++) runs.push(await runIdOf(hob, resize));
    const seen: unknown[] = [];
    let query = '?limit=3';
    for (let pages = 1; ; pages++) {
      const { body } = await hob.get(`/api/runs${query}`);
      seen.push(...idsOf(list(body.items)));
      await runIdOf(hob, resize);
      if (body.next === null) {
        expect(pages).toBe(3);
        break;
      }
      query = `?limit=3&cursor=${body.next}`;
    }
    expect(seen).toEqual(runs.reverse());
  });

  it('cuts large values, and the record of a run has them whole', async () => {
    const entry = python(`write({"code": 7, "msg": "缩" * 3000, "list": ["x" * 100] * 1000})`);
    const id = await service.add('large', { language: 'python', entry });
    const { hob } = service;
    const params = { text: 'y'.repeat(5000) };
    const runId = await runIdOf(hob, id, { params, data: ['z'.repeat(5000)] });
    const [brief = {}] = await items(hob);
    expect(brief).toMatchObject({
      run_id: runId,
      params: null,
      data: null,
      result: { code: 7, msg: '缩'.repeat(1000) },
    });
    const { body } = await hob.get(`/api/runs/${runId}`);
    expect(body).toMatchObject({ params, data: ['z'.repeat(5000)], result: { msg: '缩'.repeat(3000) } });
    expect(Object.keys(brief)).toEqual(Object.keys(body));
  });

  it.each([
    ['stat=failed', /Unknown query field "stat".*script, parent, state/],
    ['state=dancing', /state must be one or more of queued, running/],
    ['script=x', /script must be a UUID/],
    ['since=yesterday', /since must be a time/],
    ['limit=0', /limit must be an integer from 1 to 500/],
    ['limit=501', /limit/],
    ['cursor=x', /cursor must be the value of `next`/],
    ['state=failed&state=queued', /state must be given once/],
  ])('refuses %s, and says what is allowed', async (query, message) => {
    const { status, body } = await service.hob.get(`/api/runs?${query}`);
    expect({ status, ...body }).toEqual({
      status: 'error',
      code: 'field-invalid',
      message: expect.stringMatching(message),
      hint: '',
      fields: [query.split('=')[0]],
    });
    expect(status).toBe(400);
  });
});

function historyOf({ body }: { body: Fields }): { runs: number; bytes: number } {
  const { history } = body;
  if (typeof history !== 'object' || history === null || !('runs' in history) || !('bytes' in history))
    throw new Error(`no history in ${JSON.stringify(body)}`);
  return { runs: Number(history.runs), bytes: Number(history.bytes) };
}

describe('the chain of a run', () => {
  it('is a tree with states and times, the same for each run in it', async () => {
    const leaf = await service.add('leaf', { name: 'leaf', node: true, entry: printing });
    const parent = await service.add('parent', {
      name: 'parent',
      language: 'python',
      entry: python(`
answers = [call("/api/link", {"script_id": "${leaf}", "params": {"msg": m}}) for m in ["one", "fail two"]]
write({"code": 0, "msg": "ok"})`),
    });
    const { hob } = service;
    const runId = await runIdOf(hob, parent);
    const children = await items(hob, `?parent=${runId}`);
    expect(children).toHaveLength(2);
    const { body } = await hob.get(`/api/runs/${runId}/tree`);
    expect(body).toMatchObject({
      run_id: runId,
      runs: 3,
      complete: true,
      root: {
        run_id: runId,
        script_name: 'parent',
        depth: 0,
        state: 'succeeded',
        parent_run_id: null,
        children: [
          {
            script_name: 'leaf',
            depth: 1,
            origin: 'link',
            state: 'succeeded',
            parent_run_id: runId,
            children: [],
          },
          { script_name: 'leaf', depth: 1, state: 'failed', exit_code: 3, children: [] },
        ],
      },
    });
    for (const child of children) {
      const tree = (await hob.get(`/api/runs/${child.run_id}/tree`)).body;
      expect(tree).toEqual({ ...body, run_id: child.run_id });
    }
    expect((await hob.get(`/api/runs/${leaf}/tree`)).status).toBe(404);
  });
});

describe('statistics', () => {
  it('count runs by script and by day, and stay when runs are deleted', async () => {
    const { scripts, resize, 统计 } = await twoScripts();
    const hob = await startHob({ scripts: [scripts] });
    await runIdOf(hob, resize);
    await runIdOf(hob, resize, { params: { msg: 'fail' } });
    await runIdOf(hob, 统计);
    const { status, body } = await hob.get('/api/stats');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      history: { runs: 3 },
      running: 0,
      queued: 0,
      all: { runs: 3, succeeded: 2, failed: 1, unknown: 0, end_causes: { exit: 3 } },
      scripts: [
        { script_id: resize, script_name: 'Resize images', runs: 2, succeeded: 1, failed: 1 },
        { script_id: 统计, script_name: '统计文字', runs: 1, succeeded: 1, failed: 0 },
      ],
    });
    const days = list(body.days);
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toMatchObject({
      day: body.to,
      begins_at: new Date(`${body.to}T00:00:00`).toISOString(),
      runs: 3,
    });
    expect(days[0]).toMatchObject({ day: body.from, runs: 0, duration_ms: null });
    const records = await items(hob);
    const durations = records.map(({ duration_ms }) => Number(duration_ms));
    const mean = Math.round(durations.reduce((sum, ms) => sum + ms, 0) / durations.length);
    expect(body.all).toMatchObject({ duration_ms: { mean } });
    const one = (await hob.get(`/api/stats?days=1&script=${统计}`)).body;
    expect(one).toMatchObject({
      from: body.to,
      all: { runs: 1 },
      scripts: [{ script_id: 统计 }],
      days: [{ runs: 1 }],
    });
    expect((await hob.get('/api/stats?days=0')).status).toBe(400);
  });
});

describe('the limits of the history', () => {
  it('delete the runs that ended first, with their folders', async () => {
    const { scripts, resize } = await twoScripts();
    const hob = await startHob({ scripts: [scripts], settings: 'history_runs = 2\n' });
    const runs: string[] = [];
    for (let run = 0; run < 5; run++) runs.push(await runIdOf(hob, resize));
    await until('2 left', async () => (await items(hob)).length === 2);
    expect(idsOf(await items(hob))).toEqual(runs.slice(3).reverse());
    await until('2 folders left', async () => (await readdir(join(hob.home, 'runs'))).length === 2);
    expect((await readdir(join(hob.home, 'runs'))).sort()).toEqual(runs.slice(3).sort());
    expect((await hob.get(`/api/runs/${runs[0]}`)).status).toBe(404);
    expect((await hob.get('/api/stats')).body).toMatchObject({ all: { runs: 5 }, history: { runs: 2 } });
    expect(idsOf(await items(hob, '?q=done'))).toEqual(runs.slice(3).reverse());
  });

  it('also apply to the size of the output, and to runs from before', async () => {
    const scripts = await tempFolder();
    const entry = bash(
      `mkdir "$(dirname "$output")/深 dir"; head -c 3000000 /dev/zero > "$(dirname "$output")/深 dir/file"`,
    );
    const id = await writeScript(scripts, 'large', { entry });
    const home = await tempFolder();
    const before = await startHob({ home, scripts: [scripts] });
    const runs: string[] = [];
    for (let run = 0; run < 3; run++) runs.push(await runIdOf(before, id));
    await until(
      'the sizes are known',
      async () => historyOf(await before.get('/api/stats')).bytes > 9_000_000,
    );
    await before.stop();
    const hob = await startHob({ home, scripts: [scripts], settings: 'history_mib = 4\n' });
    await until('1 left', async () => (await items(hob)).length === 1);
    expect(idsOf(await items(hob))).toEqual(runs.slice(2));
    await until('1 folders left', async () => (await readdir(join(home, 'runs'))).length === 1);
  });

  it('never delete or count a run that has not ended', async () => {
    const { scripts, resize } = await twoScripts();
    const files = await tempFolder();
    const slow = await writeScript(scripts, 'slow', {
      entry: bash(`touch "${files}/on"; while [ ! -e "${files}/off" ]; do sleep 0.05; done`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'history_runs = 1\n' });
    const running = String((await hob.post('/api/execute', { script_id: slow })).body.run_id);
    const ended: string[] = [];
    for (let run = 0; run < 3; run++) ended.push(await runIdOf(hob, resize));
    await until('2 left', async () => (await items(hob)).length === 2);
    expect(idsOf(await items(hob))).toEqual([ended[2], running]);
    await access(join(hob.home, 'runs', running));
    // It is deleted soon after its end, as the first of two, so the request must already be waiting.
    const end = hob.get(`/api/runs/${running}?wait=60`);
    await writeFile(join(files, 'off'), '');
    expect((await end).body).toMatchObject({ state: 'succeeded' });
  });

  it('remove run folders without a record, and no other files there', async () => {
    const home = await tempFolder();
    const runs = join(home, 'runs');
    await mkdir(join(runs, 'mine'), { recursive: true });
    const stray = join(runs, '11111111-1111-4111-8111-111111111111');
    await mkdir(join(stray, 'deep'), { recursive: true });
    await writeFile(join(stray, 'params.json'), '{}');
    await startHob({ home });
    await until(
      'the stray is gone',
      async () => !(await readdir(runs)).includes('11111111-1111-4111-8111-111111111111'),
    );
    expect(await readdir(runs)).toEqual(['mine']);
  });
});
