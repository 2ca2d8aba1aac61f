import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { type Answer, type Hob, startHob, tempFolder } from '../support/hob.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, python, type ScriptOptions, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { fileThere, linesOf, until } from '../support/until.ts';

type Run = Record<string, unknown>;

/** Appends the id of its run to `tries`, and succeeds on the try with this number. */
function flaky(folder: string, succeedsOn: number, rest: Partial<ScriptOptions> = {}): ScriptOptions {
  return {
    entry: bash(`
echo "$HOB_RUN_ID" >> "${folder}/tries"
[ "$(wc -l < "${folder}/tries")" -ge ${succeedsOn} ] || exit 3
echo fine`),
    runtime: 'retries = { attempts = 3, backoff = "50ms", factor = 1 }',
    ...rest,
  };
}

const triesIn = (folder: string) => linesOf(join(folder, 'tries'));

/** The attempts of a run once its series has ended. */
async function seriesOf(hob: Hob, runId: string): Promise<Run[]> {
  return until(`the series of ${runId} has ended`, async () => {
    const { body } = await hob.get(`/api/runs/${runId}/attempts`);
    const runs: Run[] = Object(body.runs);
    return body.next_attempt_at === null && runs.at(-1)?.ended_at !== null ? runs : false;
  });
}

/** The last attempt of a series, which waits for the next one. */
async function waiting(hob: Hob, runId: string): Promise<Run> {
  return until(`${runId} waits for another attempt`, async () => {
    const { body } = await hob.get(`/api/runs/${runId}/attempts`);
    return body.next_attempt_at === null ? false : Object(body.runs).at(-1);
  });
}

const start = async (hob: Hob, script: string, rest: Run = {}) =>
  String((await hob.post('/api/execute', { script_id: script, ...rest })).body.run_id);

const headerOf = ({ headers }: Answer) => String(headers.get('x-hob-run-id'));

describe('a run with retries', () => {
  const service = shareService();

  it('succeeds on its third attempt, each of which is a run of its own', async () => {
    const folder = await tempFolder();
    const script = await service.add('third time', flaky(folder, 3));
    const { hob } = service;
    const first = await start(hob, script);
    const runs = await seriesOf(hob, first);
    expect(runs).toMatchObject([
      { run_id: first, attempt: 1, first_run_id: null, state: 'failed', exit_code: 3, next_attempt_at: null },
      { attempt: 2, first_run_id: first, state: 'failed', next_attempt_at: null },
      { attempt: 3, first_run_id: first, state: 'succeeded', next_attempt_at: null },
    ]);
    expect(runs.map(({ run_id }) => run_id)).toEqual(await triesIn(folder));
    const { body } = await hob.get(`/api/runs?script=${script}`);
    expect(Object(body.items).map(({ attempt }: Run) => attempt)).toEqual([3, 2, 1]);
    expect((await hob.get(`/api/runs/${runs[1]?.run_id}/attempts`)).body).toMatchObject({
      first_run_id: first,
      attempts: 3,
      next_attempt_at: null,
      runs: runs.map(({ run_id, result }) => ({ run_id, result })),
    });
    expect(runs[2]?.result).toMatchObject({ code: -3, msg: expect.any(String) });
    expect((await hob.get(`/api/scripts/${script}`)).body.retries).toEqual({
      attempts: 3,
      backoff_s: 0.05,
      factor: 1,
      on: ['exit', 'timeout'],
    });
  });

  it('ends with its last attempt if all fail', async () => {
    const folder = await tempFolder();
    const script = await service.add('never', flaky(folder, 9));
    const runs = await seriesOf(service.hob, await start(service.hob, script));
    expect(runs.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  });

  it('answers a synchronous call with the last attempt, whose id the header has', async () => {
    const folder = await tempFolder();
    const script = await service.add('waited for', flaky(folder, 3));
    const answer = await service.hob.run(script);
    expect(answer).toMatchObject({ status: 200, body: { success: true, exit_code: 0, stdout: 'fine\n' } });
    expect(headerOf(answer)).toBe((await triesIn(folder)).at(-1));
    expect(await triesIn(folder)).toHaveLength(3);
  });

  it('keeps a synchronous call alive between attempts; the header then has the first id', async () => {
    const folder = await tempFolder();
    const scripts = await tempFolder();
    const slow = { runtime: 'retries = { attempts = 2, backoff = "700ms" }' };
    const script = await writeScript(scripts, 'slowly', flaky(folder, 2, slow));
    const hob = await startHob({ scripts: [scripts], settings: 'heartbeat_s = 0.3\n' });
    const answer = await hob.run(script);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(headerOf(answer)).toBe((await triesIn(folder))[0]);
  });

  it('runs once more per key: a repeated request gets the series', async () => {
    const folder = await tempFolder();
    const script = await service.add('keyed', flaky(folder, 2));
    const { hob } = service;
    const ask = (sync: boolean, key: string) =>
      hob.post('/api/execute', { script_id: script, sync }, { 'idempotency-key': key });
    const answers = await Promise.all([ask(true, 'sync'), ask(true, 'sync')]);
    for (const { body } of [...answers, await ask(true, 'sync')])
      expect(body).toMatchObject({ success: true, stdout: 'fine\n' });
    const tries = await triesIn(folder);
    expect(tries).toHaveLength(2);
    expect(new Set([...answers, await ask(true, 'sync')].map(headerOf))).toEqual(new Set(tries.slice(1)));
    await rm(join(folder, 'tries'));
    const first = (await ask(false, 'async')).body.run_id;
    await seriesOf(hob, String(first));
    expect((await ask(false, 'async')).body.run_id).toBe(first);
    expect(await triesIn(folder)).toHaveLength(2);
  });

  it('is waited for by wait_s, which returns the record of the last attempt', async () => {
    const folder = await tempFolder();
    const script = await service.add('by wait', flaky(folder, 3));
    const { hob } = service;
    const answer = await hob.post(`/api/scripts/${script}/runs`, { wait_s: 60 });
    const tries = await triesIn(folder);
    expect(answer.body).toMatchObject({ run_id: tries[2], first_run_id: tries[0], state: 'succeeded' });
    expect(headerOf(answer)).toBe(tries[2]);
    expect(answer.headers.get('location')).toBe(`/api/runs/${tries[2]}`);
    await rm(join(folder, 'tries'));
    const early = await hob.post(`/api/scripts/${script}/runs`, { retries: { attempts: 2, backoff: '1h' } });
    expect(early.body).toMatchObject({ attempt: 1, first_run_id: null });
    const impatient = await hob.post(`/api/scripts/${script}/runs`, {
      retries: { attempts: 20, backoff: '1h' },
      wait_s: 0.2,
    });
    expect(impatient.status).toBe(201);
    for (const { body } of [early, impatient]) await hob.post(`/api/runs/${body.run_id}/cancel`, {});
  });

  it('takes its retries from the request, which names an invalid field', async () => {
    const folder = await tempFolder();
    const script = await service.add('by request', flaky(folder, 9));
    const { hob } = service;
    const ask = (retries: unknown) => hob.post(`/api/scripts/${script}/runs`, { retries, wait_s: 60 });
    expect((await ask({ attempts: 1 })).body).toMatchObject({ attempt: 1, next_attempt_at: null });
    expect((await ask({ attempts: 4, backoff: '1ms', factor: 1 })).body).toMatchObject({ attempt: 4 });
    const refused = await ask({ attempts: 99 });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'field-invalid', fields: ['retries.attempts'] },
    });
    expect(await ask({ tries: 3 })).toMatchObject({ status: 400, body: { fields: ['retries.tries'] } });
    expect(await triesIn(folder)).toHaveLength(5);
  });

  it('is tried again after a timeout and other listed causes only', async () => {
    const { hob } = service;
    const late = {
      entry: bash('sleep 60'),
      runtime: 'timeout = 0.2\nretries = { attempts = 2, backoff = "1ms" }',
    };
    const timed = await seriesOf(hob, await start(hob, await service.add('late', late)));
    expect(timed.map(({ end_cause }) => end_cause)).toEqual(['timeout', 'timeout']);
    const shot = (on: string) => ({
      entry: bash('kill -9 $$'),
      runtime: `retries = { attempts = 2, backoff = "1ms", on = [${on}] }`,
    });
    const listed = await seriesOf(hob, await start(hob, await service.add('shot', shot('"signal"'))));
    expect(listed.map(({ end_cause }) => end_cause)).toEqual(['signal', 'signal']);
    const other = await seriesOf(hob, await start(hob, await service.add('shot once', shot('"exit"'))));
    expect(other).toHaveLength(1);
  });

  it('ends when any of its attempts is cancelled while it waits', async () => {
    const folder = await tempFolder();
    const patient = { runtime: 'retries = { attempts = 3, backoff = "10ms", factor = 10 }' };
    const { hob } = service;
    const long = { runtime: 'retries = { attempts = 2, backoff = "1h" }' };
    const script = await service.add('cancelled', flaky(folder, 9, long));
    const first = await start(hob, script);
    const { next_attempt_at, ended_at } = await waiting(hob, first);
    expect(Date.parse(String(next_attempt_at)) - Date.parse(String(ended_at))).toBe(3_600_000);
    expect(await hob.post(`/api/runs/${first}/cancel`, {})).toMatchObject({
      status: 200,
      body: { message: 'No further attempt is made' },
    });
    const runs = await seriesOf(hob, first);
    expect(runs).toMatchObject([{ end_cause: 'exit', next_attempt_at: null }]);
    const again = await hob.post(`/api/runs/${first}/cancel`, {});
    expect(again).toMatchObject({ status: 409, body: { code: 'run-ended' } });

    // A caller that waits gets the last attempt.
    const call = hob.run(script);
    const pending = await until('the call waits', async () => {
      const { body } = await hob.get(`/api/runs?script=${script}&limit=1`);
      const [run] = Object(body.items);
      return run?.run_id !== first && run?.next_attempt_at !== null ? run : false;
    });
    const inChinese = { 'accept-language': 'zh' };
    const ending = await hob.post(`/api/runs/${pending.run_id}/cancel`, {}, inChinese);
    expect(ending.body.message).toBe('不会再次尝试');
    expect((await call).body).toMatchObject({ success: false, exit_code: 3 });

    // The first attempt has ended long ago, and the second one runs.
    const held = await service.add('held', {
      entry: bash(`echo x >> "${folder}/held"; [ "$(wc -l < "${folder}/held")" -ge 2 ] && sleep 60; exit 1`),
      ...patient,
    });
    const ended = await start(hob, held);
    await until('the second attempt runs', async () => (await linesOf(join(folder, 'held'))).length === 2);
    expect(await hob.post(`/api/runs/${ended}/cancel`, {}, inChinese)).toMatchObject({
      status: 200,
      body: { message: '正在停止运行' },
    });
    expect(await seriesOf(hob, ended)).toMatchObject([{ end_cause: 'exit' }, { end_cause: 'cancelled' }]);
  });

  it('ends when the record of its waiting attempt is deleted, and a waiting caller gets its answer', async () => {
    const folder = await tempFolder();
    const long = { runtime: 'retries = { attempts = 2, backoff = "1h" }' };
    const { hob } = service;
    const script = await service.add('deleted', flaky(folder, 9, long));
    const call = hob.post(`/api/scripts/${script}/runs`, { wait_s: 300 });
    await fileThere(join(folder, 'tries'));
    const [first = ''] = await triesIn(folder);
    await waiting(hob, first);
    expect((await hob.send('DELETE', `/api/runs/${first}`, '')).status).toBe(200);
    // The call times out before `wait_s` has passed.
    expect(await call).toMatchObject({ status: 404, body: { code: 'run-unknown' } });
    expect(await triesIn(folder)).toEqual([first]);
  });

  it('holds neither a slot nor its lock between attempts', async () => {
    const folder = await tempFolder();
    const { hob } = service;
    const locked = (more: string) => ({ runtime: `lock = "press"\nconcurrency = 1\n${more}` });
    const long = locked('retries = { attempts = 2, backoff = "1h" }');
    const first = await start(hob, await service.add('locked', flaky(folder, 9, long)));
    await waiting(hob, first);
    const other = await service.add('other', locked(''));
    expect((await hob.run(other)).body).toMatchObject({ success: true });
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
    await hob.post(`/api/runs/${first}/cancel`, {});
  });

  it('is not tried again if it is linked', async () => {
    const folder = await tempFolder();
    const script = await service.add('linked', flaky(folder, 9, { node: true }));
    const { hob } = service;
    const answer = await hob.post('/api/link', { script_id: script });
    expect(answer.body).toMatchObject({ success: false, exit_code: 3 });
    expect(await triesIn(folder)).toEqual([headerOf(answer)]);
    const record = await hob.ended(headerOf(answer));
    expect(record).toMatchObject({ origin: 'link', attempt: 1, next_attempt_at: null });
  });

  it('ends with a note when its script is removed meanwhile', async () => {
    const folder = await tempFolder();
    const soon = { runtime: 'retries = { attempts = 2, backoff = "1500ms" }' };
    const script = await service.add('removed', flaky(folder, 9, soon));
    const { hob } = service;
    const first = await start(hob, script);
    await waiting(hob, first);
    await rm(join(service.scripts, 'removed'), { recursive: true });
    expect(await seriesOf(hob, first)).toHaveLength(1);
    await until('the note is there', async () => {
      const notes = await (await fetch(`${hob.url}/api/runs/${first}/notes`)).text();
      return notes.includes('the script was removed') || notes.includes('脚本已被移除');
    });
  });

  it('waits while its manifest is broken, and continues once it is correct again', async () => {
    const folder = await tempFolder();
    const soon = { runtime: 'retries = { attempts = 2, backoff = "1500ms" }' };
    const script = await service.add('mistyped', flaky(folder, 2, soon));
    const { hob } = service;
    const first = await start(hob, script);
    await waiting(hob, first);
    const manifest = join(service.scripts, 'mistyped', 'script.toml');
    const correct = await readFile(manifest, 'utf8');
    await writeFile(manifest, `${correct}\n[[[`);
    const due = async () => Date.parse(String((await hob.get(`/api/runs/${first}`)).body.next_attempt_at));
    const before = await due();
    await until('the attempt was put off', async () => (await due()) > before);
    await writeFile(manifest, correct);
    expect(await seriesOf(hob, first)).toMatchObject([{ attempt: 1 }, { attempt: 2, state: 'succeeded' }]);
  });

  it('gets its secrets again, which are gone afterwards', async () => {
    const folder = await tempFolder();
    const script = await service.add('secretive', {
      language: 'python',
      entry: python(`
open("${folder}/keys", "a").write(run["params"]["key"] + run["params"]["preset"] + "\\n")
sys.exit(0 if len(open("${folder}/keys").readlines()) == 3 else 1)`),
      runtime: 'retries = { attempts = 4, backoff = "400ms", factor = 1 }',
      tables: `[[service.params]]\nname = "key"\nsecret = true\n[[service.params]]\nname = "preset"\nsecret = true\ndefault = "p"\n`,
    });
    const { hob } = service;
    const first = await start(hob, script, { params: { key: 'sk-钥匙' } });
    await waiting(hob, first);
    const folderOf = (runId: unknown) => join(hob.home, 'runs', String(runId));
    expect(existsSync(join(folderOf(first), 'secrets.json'))).toBe(true);
    expect(existsSync(join(folderOf(first), 'params.json'))).toBe(false);
    const runs = await seriesOf(hob, first);
    expect(runs.map(({ state, params }) => [state, params])).toEqual([
      ['failed', { key: '***' }],
      ['failed', { key: '***' }],
      ['succeeded', { key: '***' }],
    ]);
    expect(await linesOf(join(folder, 'keys'))).toEqual(['sk-钥匙p', 'sk-钥匙p', 'sk-钥匙p']);
    await until('no secret is left', async () => {
      const names = await Promise.all(runs.map(({ run_id }) => readdir(folderOf(run_id))));
      return !names.flat().some((name) => name === 'secrets.json' || name === 'params.json');
    });
  });

  it('is accepted again after a full queue', async () => {
    const folder = await tempFolder();
    const hob = await startHob({
      scripts: [folder],
      settings: 'max_runs = 1\nmax_queued = 1\n',
    });
    // Two runs take the slot and the place in the queue meanwhile.
    const slow = { runtime: 'retries = { attempts = 3, backoff = "4s", factor = 1 }' };
    const script = await writeScript(folder, 'flaky', flaky(folder, 2, slow));
    const held = await writeScript(folder, 'held', {
      entry: bash(`touch "${folder}/begun"; until [ -e "${folder}/go" ]; do sleep 0.02; done`),
    });
    await until('the scripts are known', async () => (await hob.get(`/api/scripts/${held}`)).status === 200);
    const first = await start(hob, script, {});
    const { next_attempt_at } = await waiting(hob, first);
    expect(next_attempt_at).not.toBeNull();
    await Promise.all([start(hob, held), start(hob, held)]);
    await fileThere(join(folder, 'begun'));
    await until('an attempt was refused', async () =>
      hob.log().includes('the next attempt of a run was refused'),
    );
    await writeFile(join(folder, 'go'), '');
    expect(await seriesOf(hob, first)).toMatchObject([{ attempt: 1 }, { attempt: 2, state: 'succeeded' }]);
  });
});

describe('a series of attempts survives', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('%s while it waits', async (signal) => {
    const [scripts, folder] = [await tempFolder(), await tempFolder()];
    const soon = 'retries = { attempts = 2, backoff = "2s" }';
    const script = await writeScript(scripts, 'flaky', {
      language: 'python',
      entry: python(`
open("${folder}/tries", "a").write(env["run_id"] + "\\n")
sys.exit(0 if run["params"].get("key") == "k" and len(open("${folder}/tries").readlines()) == 2 else 1)`),
      runtime: soon,
      tables: '[[service.params]]\nname = "key"\nsecret = true\n',
    });
    const restartable = await startRestartable({ scripts: [scripts] });
    const first = await start(restartable.hob, script, { params: { key: 'k' } });
    const ended = await waiting(restartable.hob, first);
    await restartable.restart(signal);
    const runs = await seriesOf(restartable.hob, first);
    expect(runs).toMatchObject([
      { run_id: first, state: 'failed' },
      { attempt: 2, first_run_id: first, state: 'succeeded' },
    ]);
    expect(String(runs[1]?.queued_at) >= String(ended.next_attempt_at)).toBe(true);
    expect(await triesIn(folder)).toEqual(runs.map(({ run_id }) => run_id));
  });

  it('a stop that lasts longer than the wait, also of a synchronous call, which gets an error', async () => {
    const [scripts, folder] = [await tempFolder(), await tempFolder()];
    const script = await writeScript(
      scripts,
      'flaky',
      flaky(folder, 2, { runtime: 'retries = { attempts = 2, backoff = "1s" }' }),
    );
    const restartable = await startRestartable({ scripts: [scripts] });
    const call = restartable.hob.run(script);
    const [first = ''] = await until('the first attempt is there', async () => {
      const tries = await triesIn(folder);
      return tries.length > 0 && tries;
    });
    const { next_attempt_at } = await waiting(restartable.hob, first);
    await restartable.restart('SIGTERM', async () => {
      expect(await call).toMatchObject({ status: 503 });
      await until('the wait is over', async () => Date.now() > Date.parse(String(next_attempt_at)));
    });
    expect(await seriesOf(restartable.hob, first)).toMatchObject([{}, { attempt: 2, state: 'succeeded' }]);
  });

  it('every kill: no attempt runs twice, and none is left out', async () => {
    const [scripts, folder] = [await tempFolder(), await tempFolder()];
    const script = await writeScript(
      scripts,
      'flaky',
      flaky(folder, 99, { runtime: 'retries = { attempts = 20, backoff = "40ms", factor = 1 }' }),
    );
    const restartable = await startRestartable({ scripts: [scripts] });
    const series = [await start(restartable.hob, script), await start(restartable.hob, script)];
    const keyed = await restartable.hob.post(
      '/api/execute',
      { script_id: script },
      { 'idempotency-key': randomUUID() },
    );
    series.push(String(keyed.body.run_id));
    for (let kills = 0; kills < 8; kills++) {
      const before = (await triesIn(folder)).length;
      if (before === 60) break;
      await until('another attempt', async () => (await triesIn(folder)).length > before);
      // Anywhere between two attempts.
      await pause(7 * kills);
      await restartable.restart('SIGKILL');
    }
    const attempts = await Promise.all(series.map((first) => seriesOf(restartable.hob, first)));
    for (const runs of attempts) {
      expect(runs.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(runs.every(({ end_cause }) => end_cause === 'exit')).toBe(true);
    }
    const tries = await triesIn(folder);
    expect(tries.toSorted()).toEqual(
      attempts
        .flat()
        .map(({ run_id }) => String(run_id))
        .toSorted(),
    );
  });
});
