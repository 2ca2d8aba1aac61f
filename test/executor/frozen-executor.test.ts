import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { executorPid, type Hob, isRunning, runCli, startHob, tempFolder, untilGone } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';
import { makeWarm } from '../support/warm-service.ts';

const isHere = has('Python on Linux', process.platform === 'linux' && findProgram('python3') !== null);

const timeoutMs = 3000;

/** Scripts that write their process id to `$FILES/pid`, and exit with 7 as soon as `$FILES/go` exists. */
const waiters = {
  sh: {
    language: 'bash',
    entry: [
      'main.sh',
      `[ -e "$FILES/warm" ] || exit 0
echo $$ > "$FILES/new"; mv "$FILES/new" "$FILES/pid"
while [ ! -e "$FILES/go" ]; do sleep 0.02; done
exit 7
`,
    ],
  },
  'warm Python': {
    language: 'python',
    entry: [
      'main.py',
      `import os, sys, time
files = os.environ["FILES"]
if not os.path.exists(files + "/warm"): sys.exit(0)
open(files + "/new", "w").write(str(os.getpid()))
os.rename(files + "/new", files + "/pid")
while not os.path.exists(files + "/go"): time.sleep(0.02)
sys.exit(7)
`,
    ],
  },
  'warm Node': {
    language: 'node.js',
    entry: [
      'main.mjs',
      `import { existsSync, renameSync, writeFileSync } from 'node:fs';
const files = process.env.FILES;
if (!existsSync(files + '/warm')) process.exit(0);
writeFileSync(files + '/new', String(process.pid));
renameSync(files + '/new', files + '/pid');
setInterval(() => existsSync(files + '/go') && process.exit(7), 20);
`,
    ],
  },
} as const;

type Kind = keyof typeof waiters;
const kinds = Object.keys(waiters) as Kind[];

interface Scene {
  readonly hob: Hob;
  /** Starts the script and waits until it has written its process id. */
  begin(): Promise<{ runId: string; pid: number }>;
  /** Lets the script exit, and waits until its process has exited. */
  letExit(pid: number): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
}

/** A service, its executor, and a script of one kind. If the kind can be warm, an interpreter waits. */
async function openScene(kind: Kind, { timeout = false } = {}): Promise<Scene> {
  const [scripts, files] = [await tempFolder(), await tempFolder()];
  const { language, entry } = waiters[kind];
  const runtime = `env = { FILES = "${files}" }\n${timeout ? `timeout = ${timeoutMs / 1000}` : ''}`;
  const id = await writeScript(scripts, 'waiter', { language, entry: [...entry], runtime });
  const hob = await startHob({ scripts: [scripts], settings: 'stop_grace_s = 1\n' });
  if (language !== 'bash') await makeWarm(hob, id);
  await writeFile(join(files, 'warm'), '');
  return {
    hob,
    ...(await frozenOnRequest(hob)),
    async begin() {
      const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
      await fileThere(join(files, 'pid'));
      return { runId, pid: Number(await readFile(join(files, 'pid'), 'utf8')) };
    },
    async letExit(pid) {
      await writeFile(join(files, 'go'), '');
      await until(`process ${pid} has exited`, async () => !(await isRunning(pid)));
    },
  };
}

async function frozenOnRequest(hob: Hob): Promise<Pick<Scene, 'freeze' | 'thaw'>> {
  const executor = await executorPid(hob.home);
  const thaw = () => {
    process.kill(executor, 'SIGCONT');
  };
  onTestFinished(async () => {
    if (await isRunning(executor)) thaw();
  });
  return {
    thaw,
    async freeze() {
      process.kill(executor, 'SIGSTOP');
      await until('the executor is stopped', async () => {
        const stat = await readFile(`/proc/${executor}/stat`, 'latin1');
        return stat.slice(stat.lastIndexOf(')') + 2)[0] === 'T';
      });
    },
  };
}

async function timeoutPassed(hob: Hob, runId: string): Promise<void> {
  const startedMs = Date.parse(String((await hob.get(`/api/runs/${runId}`)).body.started_at));
  await until('its time limit has passed', async () => Date.now() > startedMs + timeoutMs + 500);
}

/** Waits until health reports this state of the executor, and returns the report. */
function untilState(hob: Hob, state: string): Promise<unknown> {
  return until(`the executor is ${state}`, async () => {
    const { executor } = (await hob.get('/api/health')).body;
    return Reflect.get(Object(executor), 'state') === state && executor;
  });
}

/** A service with a script that is a node and exits with 0. */
async function openService() {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'quick', { node: true });
  const hob = await startHob({ scripts: [scripts], settings: 'stop_grace_s = 1\ndrain_s = 1\n' });
  const executor = await executorPid(hob.home);
  return { hob, id, executor, ...(await frozenOnRequest(hob)) };
}

/** How often each line about silence occurs in the log. */
function logged(hob: Hob) {
  const count = (text: string) => hob.log().split(text).length - 1;
  return [count('executor does not respond'), count('executor responds again')];
}

describe.skipIf(!isHere)('an executor that is stopped', () => {
  it('is reported by health until it continues', async () => {
    const { hob, executor, freeze, thaw } = await openService();
    expect(await untilState(hob, 'ready')).toEqual({ state: 'ready', pid: executor, silent_pids: [] });
    await freeze();
    const silent = { state: 'silent', pid: executor, silent_pids: [executor] };
    expect(await untilState(hob, 'silent')).toEqual(silent);
    thaw();
    expect(await untilState(hob, 'ready')).toEqual({ state: 'ready', pid: executor, silent_pids: [] });
    expect(logged(hob)).toEqual([1, 1]);
  });

  it('makes synchronous calls fail with 503 and the reason, and leaves no run behind', async () => {
    const { hob, id, executor, freeze, thaw } = await openService();
    await freeze();
    await untilState(hob, 'silent');
    for (const [path, body] of [
      ['/api/execute', { script_id: id, sync: true }],
      ['/api/link', { script_id: id }],
    ] as const) {
      for (const [language, text] of [
        ['en', `The executor (pid ${executor}) does not respond`],
        ['zh-CN', `脚本执行进程（pid ${executor}）没有响应`],
      ] as const) {
        const answer = await hob.post(path, body, { 'accept-language': language });
        expect(answer).toMatchObject({
          status: 503,
          body: { status: 'error', message: expect.stringContaining(text) },
        });
        expect(Object.keys(answer.body)).toEqual(['status', 'message']);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(answer.headers.get('x-hob-error')).toBe('executor-unavailable');
      }
    }
    expect((await hob.get('/api/runs')).body.items).toEqual([]);
    expect((await hob.get('/api/health')).body).toMatchObject({ status: 'ok', running: 0, queued: 0 });
    thaw();
    await untilState(hob, 'ready');
    expect((await hob.run(id)).status).toBe(200);
  });

  it('leaves asynchronous runs queued until it continues', async () => {
    const { hob, id, freeze, thaw } = await openService();
    await freeze();
    await untilState(hob, 'silent');
    const runIds: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { status, body } = await hob.post('/api/execute', { script_id: id });
      expect(status).toBe(200);
      runIds.push(String(body.run_id));
    }
    const [cancelled = '', ...others] = runIds;
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 3 });
    expect((await hob.post(`/api/runs/${cancelled}/cancel`, {})).status).toBe(200);
    expect(await hob.ended(cancelled)).toMatchObject({ end_cause: 'cancelled', started_at: null });
    for (const runId of others)
      expect((await hob.get(`/api/runs/${runId}`)).body).toMatchObject({ state: 'queued', started_at: null });
    thaw();
    for (const runId of others)
      expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded', end_cause: 'exit' });
  });

  it('keeps callers waiting whose runs it received before the silence was noticed', async () => {
    const { hob, id, freeze, thaw } = await openService();
    await freeze();
    const early = hob.run(id);
    await until('it is on record', async () => {
      const { items } = (await hob.get('/api/runs')).body;
      return Array.isArray(items) && items.length === 1;
    });
    await untilState(hob, 'silent');
    thaw();
    expect(await early).toMatchObject({ status: 200, body: { status: 'success', exit_code: 0 } });
  });

  it('makes callers that wait for a slot fail with 503 too', async () => {
    const [scripts, files] = [await tempFolder(), await tempFolder()];
    const { language, entry } = waiters.sh;
    const runtime = `env = { FILES = "${files}" }`;
    const id = await writeScript(scripts, 'waiter', { language, entry: [...entry], runtime });
    await writeFile(join(files, 'warm'), '');
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\n' });
    const { freeze, thaw } = await frozenOnRequest(hob);
    const running = hob.run(id);
    await fileThere(join(files, 'pid'));
    const waiting = hob.run(id);
    await until('it waits', async () => (await hob.get('/api/health')).body.queued === 1);
    await freeze();
    expect(await waiting).toMatchObject({ status: 503 });
    await writeFile(join(files, 'go'), '');
    thaw();
    expect(await running).toMatchObject({ status: 200, body: { exit_code: 7 } });
    const { items } = (await hob.get('/api/runs')).body;
    expect(items).toHaveLength(2);
    for (const { run_id } of items as { run_id: string }[]) await hob.ended(run_id);
  });

  it('is named by hob doctor, with advice', async () => {
    const { hob, executor, freeze, thaw } = await openService();
    const examine = async () => (await runCli(['doctor', '--home', hob.home]).ended).stdout;
    await freeze();
    await untilState(hob, 'silent');
    const said = await examine();
    expect(said).toContain(`The executor (process ${executor}), which runs scripts, does not respond`);
    expect(said).toContain(`kill -CONT ${executor}`);
    thaw();
    await untilState(hob, 'ready');
    expect(await examine()).not.toContain('The executor');
  });

  it('is replaced when it is killed, and the runs that waited for it start', async () => {
    const { hob, id, executor, freeze } = await openService();
    await freeze();
    await untilState(hob, 'silent');
    const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    process.kill(executor, 'SIGKILL');
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect((await hob.run(id)).status).toBe(200);
    const { pid } = Object(await untilState(hob, 'ready'));
    onTestFinished(() => untilGone(pid));
    expect(pid).not.toBe(executor);
    await hob.stop();
  });
});

describe.skipIf(!isHere)('`hob stop` with an executor that is stopped', () => {
  it('ends the service, and names the executor', async () => {
    const { hob, executor, freeze, thaw } = await openService();
    await freeze();
    await untilState(hob, 'silent');
    const { code, stdout } = await runCli(['stop', '--home', hob.home]).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('Hob has stopped.');
    expect(stdout).toContain(`kill -CONT ${executor}`);
    expect(await isRunning(executor)).toBe(true);
    thaw();
    await untilGone(executor);
  });

  it('with --all says that scripts may still run, and stops them when the executor continues', async () => {
    const { hob, begin, freeze, thaw } = await openScene('sh');
    const executor = await executorPid(hob.home);
    const { runId, pid } = await begin();
    await freeze();
    const { code, stdout } = await runCli(['stop', '--all', '--home', hob.home]).ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`The executor (process ${executor}) is still running`);
    expect(await isRunning(pid)).toBe(true);
    thaw();
    await untilGone(pid);
    await untilGone(executor);
    const next = await startHob({ home: hob.home });
    expect(await next.ended(runId)).toMatchObject({ end_cause: 'shutdown' });
  });
});

describe.skipIf(!isHere)('a service that is suspended for a while', () => {
  it('does not mistake its own pause for silence of the executor', async () => {
    const { hob, id } = await openService();
    hob.process.kill('SIGSTOP');
    const sinceMs = performance.now();
    await until('it was stopped for long enough', async () => performance.now() - sinceMs > 9000);
    hob.process.kill('SIGCONT');
    expect((await hob.run(id)).status).toBe(200);
    expect(logged(hob)).toEqual([0, 0]);
  });
});

describe.skipIf(!isHere)('a run whose executor is frozen', () => {
  it.each(kinds)('keeps its own exit if it is cancelled afterwards: %s', async (kind) => {
    const { hob, begin, letExit, freeze, thaw } = await openScene(kind);
    const { runId, pid } = await begin();
    await freeze();
    await letExit(pid);
    expect((await hob.post(`/api/runs/${runId}/cancel`, {})).status).toBe(200);
    thaw();
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 7 });
  });

  it.each(kinds)('keeps its own exit if its time limit passes afterwards: %s', async (kind) => {
    const { hob, begin, letExit, freeze, thaw } = await openScene(kind, { timeout: true });
    const { runId, pid } = await begin();
    await freeze();
    await letExit(pid);
    await timeoutPassed(hob, runId);
    thaw();
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 7 });
  });

  it.each(kinds)('keeps its own exit if the service stops in the meantime: %s', async (kind) => {
    const { hob, begin, letExit, freeze, thaw } = await openScene(kind);
    const executor = await executorPid(hob.home);
    const { runId, pid } = await begin();
    await freeze();
    await letExit(pid);
    expect(await hob.stop()).toBe(0);
    thaw();
    await untilGone(executor);
    const next = await startHob({ home: hob.home });
    expect(await next.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 7 });
  });

  it.each(kinds)('is cancelled if it is still alive: %s', async (kind) => {
    const { hob, begin, freeze, thaw } = await openScene(kind);
    const { runId, pid } = await begin();
    await freeze();
    expect((await hob.post(`/api/runs/${runId}/cancel`, {})).status).toBe(200);
    expect(await isRunning(pid)).toBe(true);
    thaw();
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'cancelled' });
    expect(await isRunning(pid)).toBe(false);
  });

  it.each(kinds)('times out if it is still alive: %s', async (kind) => {
    const { hob, begin, freeze, thaw } = await openScene(kind, { timeout: true });
    const { runId, pid } = await begin();
    await freeze();
    await timeoutPassed(hob, runId);
    expect(await isRunning(pid)).toBe(true);
    thaw();
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'timeout' });
    expect(await isRunning(pid)).toBe(false);
  });
});
