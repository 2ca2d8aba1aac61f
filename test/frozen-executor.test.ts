import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { executorPid, type Hob, isRunning, startHob, tempFolder } from './support/hob.ts';
import { findProgram, has } from './support/needs.ts';
import { writeScript } from './support/scripts.ts';
import { fileThere, until } from './support/until.ts';
import { makeWarm } from './support/warm-service.ts';

const isHere = has('Python on Linux', process.platform === 'linux' && findProgram('python3') !== null);

const timeoutMs = 3000;

/** Scripts that write their process id to `$FILES/pid`, and exit with 7 as soon as there is `$FILES/go`. */
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
  /** Makes the script exit, and waits until its process has. */
  letExit(pid: number): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
}

/** A service, its executor, and a script of one kind, for which an interpreter waits if it can. */
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
  onTestFinished(thaw);
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

describe.skipIf(!isHere)('a run whose executor is frozen meanwhile', () => {
  it.each(kinds)('keeps its own exit if it is cancelled after that: %s', async (kind) => {
    const { hob, begin, letExit, freeze, thaw } = await openScene(kind);
    const { runId, pid } = await begin();
    await freeze();
    await letExit(pid);
    expect((await hob.post(`/api/runs/${runId}/cancel`, {})).status).toBe(200);
    thaw();
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 7 });
  });

  it.each(kinds)('keeps its own exit if its time limit passes after that: %s', async (kind) => {
    const { hob, begin, letExit, freeze, thaw } = await openScene(kind, { timeout: true });
    const { runId, pid } = await begin();
    await freeze();
    await letExit(pid);
    await timeoutPassed(hob, runId);
    thaw();
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 7 });
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
