import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { executorPid, type Hob, isRunning, runCli, tempFolder, untilGone } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { killEach, processesWith, startTraced } from '../support/processes.ts';
import { startRestartable } from '../support/restartable.ts';
import { python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';
import { parentOf } from '../support/warm-scene.ts';
import {
  forkServerOf,
  makeWarm,
  openWarmService,
  runWarm,
  type WarmService,
  warmOf,
} from '../support/warm-service.ts';

const isHere = has('Python on Linux', process.platform === 'linux' && findProgram('python3') !== null);

const quickStop = 'stop_grace_s = 1\n';

/** Reports that it has started, waits for a file, and ends in the way that a parameter names. */
const patient = python(`
import time
files, how = run["params"]["files"], run["params"].get("how")
if files:
    open(files + "/began.new", "w").write(str(os.getpid()))
    os.rename(files + "/began.new", files + "/began")
    while not os.path.exists(files + "/go"): time.sleep(0.01)
print("x" * 100000)
print("parent", os.getppid())
if how == "three": sys.exit(3)
`);

/** Starts children that can be found only by their environment, and waits. */
const withChildren = python(`
import subprocess, time
files, mode = run["params"]["files"], run["params"].get("mode")
if not files: sys.exit()
subprocess.Popen(["sleep", "600"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "600"])
    os._exit(0)
os.wait()
open(files + "/began.new", "w").write(str(os.getpid()))
os.rename(files + "/began.new", files + "/began")
if mode == "leave": sys.exit()
time.sleep(600)
`);

async function begun(files: string): Promise<number> {
  await fileThere(join(files, 'began'));
  return Number(await readFile(join(files, 'began'), 'utf8'));
}

/** Starts a warm run. Before that, the script has run without files to start interpreters. */
async function beginWarm(hob: Hob, id: string, params: Record<string, unknown>) {
  await makeWarm(hob, id, { params: { files: '' } });
  const before = await warmOf(hob);
  const { body } = await hob.post('/api/execute', { script_id: id, params });
  const pid = await begun(String(params.files));
  await until('it is known how it was started', async () => (await warmOf(hob)).hits > before.hits);
  return { runId: String(body.run_id), pid };
}

const membersOf = (runId: string) => processesWith(`HOB_RUN_ID=${runId}`);

describe.skipIf(!isHere)('a warm run', () => {
  let service: WarmService;
  beforeAll(async () => {
    service = await openWarmService(quickStop);
  });
  afterAll(() => service.close());

  it('keeps its end and its output if the fork server is killed, and warm starts work again later', async () => {
    const { hob, add } = service;
    const id = await add('server-killed', { language: 'python', entry: patient });
    const files = await tempFolder();
    const { runId, pid } = await beginWarm(hob, id, { files });
    const { server } = await forkServerOf(hob);
    expect(parentOf(pid)).toBe(server);
    killEach([server]);
    await untilGone(server);
    expect(parentOf(pid)).toBe(await executorPid(hob.home));
    // A run in the meantime starts cold and succeeds.
    const other = await hob.run(id, { params: { files: '' } });
    expect(other.body.exit_code).toBe(0);
    await writeFile(join(files, 'go'), '');
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded', end_cause: 'exit', exit_code: 0 });
    const answer = await fetch(`${hob.url}/api/runs/${runId}/stdout`);
    expect((await answer.text()).length).toBeGreaterThan(100_000);
    expect((await runWarm(hob, id, { params: { files: '' } })).body.exit_code).toBe(0);
  });

  it('becomes cold and succeeds if the waiting interpreter was killed', async () => {
    const { hob, add } = service;
    const id = await add('waiting-killed', { language: 'python', entry: patient });
    for (let count = 0; count < 3; count++) {
      await makeWarm(hob, id, { params: { files: '' } });
      const { waiting } = await forkServerOf(hob);
      killEach(waiting);
      const { body } = await hob.run(id, { params: { files: '' } });
      expect(body).toMatchObject({ exit_code: 0, stderr: '' });
    }
  });

  it('ends with its executor, which leaves no interpreter, and the next executor has its own', async () => {
    const { hob, add, trace } = service;
    const parent = await add('executor-killed', { language: 'python', entry: withChildren });
    const files = await tempFolder();
    const { runId } = await beginWarm(hob, parent, { files });
    // A process has no visible environment for a moment during exec.
    await until('its processes have started', async () => (await membersOf(runId)).length === 3);
    const executor = await executorPid(hob.home);
    killEach([executor]);
    expect(await hob.ended(runId)).toMatchObject({ state: 'unknown', end_cause: 'lost' });
    await until('nothing of it is left', async () => (await trace.scripts()).length === 0);
    expect((await runWarm(hob, parent, { params: { files: '' } })).body.exit_code).toBe(0);
  });

  it.each(['cancelled', 'timeout'] as const)('that is %s ends with all its processes', async (cause) => {
    const { hob, add } = service;
    const runtime = cause === 'timeout' ? 'timeout = 4' : '';
    const id = await add(cause, { language: 'python', entry: withChildren, runtime });
    const files = await tempFolder();
    const { runId, pid } = await beginWarm(hob, id, { files });
    if (cause === 'cancelled') {
      expect(await membersOf(runId)).toContain(pid);
      await hob.post(`/api/runs/${runId}/cancel`, {});
    }
    expect(await hob.ended(runId)).toMatchObject({
      state: 'failed',
      end_cause: cause,
      exit_code: 143,
      left_running: 0,
    });
    expect(await membersOf(runId)).toEqual([]);
    expect(await isRunning(pid)).toBe(false);
  });

  it.each([
    ['keep', 2],
    ['stop', 0],
  ] as const)('with survivors = %s leaves %i processes', async (survivors, left) => {
    const { hob, add } = service;
    const runtime = `survivors = "${survivors}"`;
    const id = await add(survivors, { language: 'python', entry: withChildren, runtime });
    const files = await tempFolder();
    const { runId } = await beginWarm(hob, id, { files, mode: 'leave' });
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded', exit_code: 0 });
    await until('they are counted', async () => {
      const { left_running } = (await hob.get(`/api/runs/${runId}`)).body;
      return left_running === left;
    });
    const members = await membersOf(runId);
    expect(members).toHaveLength(left);
    killEach(members);
  });

  it('continues when the service is killed, and its end is recorded', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'patient', { language: 'python', entry: patient });
    const restartable = await startRestartable({ scripts: [scripts] });
    const files = await tempFolder();
    const { runId, pid } = await beginWarm(restartable.hob, id, { files, how: 'three' });
    await restartable.restart('SIGKILL');
    expect(await isRunning(pid)).toBe(true);
    await writeFile(join(files, 'go'), '');
    expect(await restartable.hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 3 });
    // The executor and the waiting interpreters are the same as before.
    expect((await runWarm(restartable.hob, id, { params: { files: '' } })).body.exit_code).toBe(0);
  });

  it('of a script whose declared module never loads is cold, and leaves no process of the attempt', async () => {
    const { hob, add, trace } = service;
    const files = await tempFolder();
    const text = `open(${JSON.stringify(join(files, 'began'))}, "a").write("x")\nimport time\ntime.sleep(600)\n`;
    await writeFile(join(files, 'waits.py'), text);
    const id = await add('waits', {
      language: 'python',
      entry: ['main.py', 'print("ran")\n'],
      runtime: `preload = ["waits"]\nenv = { PYTHONPATH = "${files}" }`,
    });
    expect((await hob.run(id)).body.stdout).toBe('ran\n');
    await fileThere(join(files, 'began'));
    expect((await hob.run(id)).body.stdout).toBe('ran\n');
    const executor = await executorPid(hob.home);
    killEach([executor]);
    await until('nothing of it is left', async () => (await trace.scripts()).length === 0);
  });

  it.each([
    ['stop', [] as string[]],
    ['stop --all', ['--all']],
  ])('is over, and no interpreter waits, after hob %s', async (_command, flags) => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'patient', { language: 'python', entry: patient });
    const node = await writeScript(scripts, 'node', { language: 'node.js', entry: ['main.cjs', ''] });
    const { hob, trace } = await startTraced({ scripts: [scripts], settings: quickStop });
    await makeWarm(hob, node);
    const files = await tempFolder();
    const { runId } = await beginWarm(hob, id, { files });
    if (flags.length === 0) {
      await writeFile(join(files, 'go'), '');
      await hob.ended(runId);
    }
    const { code } = await runCli(['stop', '--home', hob.home, ...flags]).ended;
    expect(code).toBe(0);
    await trace.noneLeft();
  });

  it('continues after the service has stopped for good, and no interpreter waits any more', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'patient', { language: 'python', entry: patient });
    const { hob, trace } = await startTraced({ scripts: [scripts] });
    const files = await tempFolder();
    const { pid, runId } = await beginWarm(hob, id, { files });
    await hob.stop();
    const executor = await executorPid(hob.home);
    await until('only the run is left', async () => {
      const left = (await trace.scripts()).filter((each) => each !== executor);
      // The fork server stays until it has reported the exit of its last child.
      return left.length === 2 && left.includes(pid) && left.includes(parentOf(pid));
    });
    expect(await membersOf(runId)).toEqual([pid]);
    await writeFile(join(files, 'go'), '');
    await trace.noneLeft();
  });
});
