import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chown, readdir, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, it, onTestFinished } from 'vitest';

import { record } from '../support/figures.ts';
import {
  type Answer,
  executorPid,
  type Hob,
  projectRoot,
  type StartOptions,
  tempFolder,
} from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { processesWith, startTraced } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { writeScript } from '../support/scripts.ts';
import { linesOf, until } from '../support/until.ts';

const scenario = 'exhaustion';
const rounds = scaled(1, 10);
const callers = 40;

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const canMount = has('a small disk of its own (root on Linux)', isRoot);
const canLimit = has('prlimit', findProgram('prlimit') !== null);
const canBeNobody = has(
  'another user who may read this project (root on Linux)',
  isRoot && findProgram('setpriv') !== null && mayRead(join(projectRoot, 'bin', 'hob.js')),
);

function mayRead(path: string): boolean {
  const args = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--check', path];
  return spawnSync('setpriv', args, { stdio: 'ignore' }).status === 0;
}

/** Writes itself to a ledger and runs until a file appears. It starts no process that could fail for lack of resources. */
async function writeHolder(scripts: string, files: string): Promise<string> {
  execFileSync('mkfifo', [join(files, 'breath')]);
  const text = `
echo "$HOB_RUN_ID" >> "${files}/ledger"
exec 3<> "${files}/breath"
until [ -e "${files}/go" ]; do read -r -t 0.05 -u 3 _ || true; done
echo held
exit 7
`;
  return writeScript(scripts, 'holder', { entry: ['main.sh', text] });
}

/** A service with a holder script. When the test ends, its scripts end first, so that the executor can exit. */
async function startHolding(options: Omit<StartOptions, 'scripts'> = {}) {
  const scripts = await tempFolder();
  const files = await tempFolder();
  const id = await writeHolder(scripts, files);
  const { hob } = await startTraced({ ...options, scripts: [scripts] });
  onTestFinished(() => writeFile(join(files, 'go'), ''));
  return { hob, id, files };
}

/**
 * Calls over a separate connection. Without a file handle for it, the service can only close that connection. `fetch` may then
 * wait forever, and would say nothing about the service.
 */
function callAlone(hob: Hob, id: string, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ script_id: id, sync: true });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(`${hob.url}/api/execute`, {
      method: 'POST',
      agent,
      timeout: 60_000,
      headers,
    });
    call.once('response', (response) => {
      text(response).then((answer) => {
        const given = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(given),
          body: JSON.parse(answer),
        });
      }, reject);
    });
    call.once('timeout', () => call.destroy(new Error('no answer in time')));
    call.once('error', reject);
    call.end(body);
  });
}

/** Calls many times at once. The runs may end only when each call has either begun its run or been refused. */
async function callAtOnce(hob: Hob, id: string, files: string): Promise<Promise<Answer>[]> {
  const before = (await linesOf(join(files, 'ledger'))).length;
  let turnedAway = 0;
  const calls = Array.from({ length: callers }, async () => {
    try {
      const answer = await callAlone(hob, id);
      if (answer.status !== 200) turnedAway += 1;
      return answer;
    } catch (error) {
      turnedAway += 1;
      throw error;
    }
  });
  for (const call of calls) call.catch(() => {});
  const isSettled = async () => {
    const begun = (await linesOf(join(files, 'ledger'))).length - before;
    return begun + turnedAway >= callers;
  };
  // A connection that the service has no handle for stays in the kernel's queue, and nothing shows that.
  await until('all callers have begun or were refused', isSettled, 3000).catch(() => {});
  await writeFile(join(files, 'go'), '');
  return calls;
}

interface Tally {
  ran: number;
  refused: number;
  cutOff: number;
}

/** Counts the results of concurrent calls. Anything but an outcome, a valid refusal or a closed connection is a failure. */
async function tally(calls: Promise<Answer>[]): Promise<Tally> {
  const counts: Tally = { ran: 0, refused: 0, cutOff: 0 };
  for (const settled of await Promise.allSettled(calls)) {
    if (settled.status === 'rejected') {
      // Without a file handle, the service cannot even accept a connection.
      expect(String(settled.reason)).toMatch(/ECONNRESET|EPIPE|socket hang up/);
      counts.cutOff += 1;
    } else if (settled.value.status === 200) {
      counts.ran += 1;
    } else {
      expectRefusal(settled.value);
      counts.refused += 1;
    }
  }
  return counts;
}

function expectRefusal(answer: Answer): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 503,
    body: { status: 'error', message: expect.any(String) },
  });
  expect(answer.headers.get('x-hob-error')).toMatch(/^(resources-exhausted|executor-unavailable)$/);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** The service is alive, has no stuck runs, and can run a script. */
async function expectNormal(hob: Hob, id: string): Promise<void> {
  expect(hob.process.exitCode).toBeNull();
  const isIdle = async () => {
    const { running, queued } = (await hob.get('/api/health')).body;
    return running === 0 && queued === 0;
  };
  await until('nothing runs and nothing waits', isIdle, 30_000);
  expect((await hob.run(id)).body).toMatchObject({ exit_code: 7, stdout: 'held\n' });
}

const figure = (what: string, value: number) => record({ scenario, what, value, unit: '' });

it.skipIf(!canLimit).each(['service', 'executor'])(
  'with 64 file handles for the %s, calls run, get 503 or are cut off, and no process dies',
  patiently,
  async (who) => {
    const { hob, id, files } = await startHolding({ settings: 'max_runs = 100\n' });
    const pid = who === 'service' ? (hob.process.pid ?? 0) : await executorPid(hob.home);
    const limit = (soft: number) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
    for (let round = 0; round < rounds; round++) {
      limit(64);
      const counts = await tally(await callAtOnce(hob, id, files));
      expect(counts.refused + counts.cutOff, JSON.stringify(counts)).toBeGreaterThan(0);
      limit(4096);
      await expectNormal(hob, id);
      await rm(join(files, 'go'));
      figure(`calls refused while the ${who} had 64 file handles, of ${callers}`, counts.refused);
      figure(`calls cut off while the ${who} had 64 file handles, of ${callers}`, counts.cutOff);
    }
  },
);

it.skipIf(!canLimit)(
  'a caller with an open connection gets 503 when there are no file handles left',
  patiently,
  async () => {
    const { hob, id, files } = await startHolding();
    await writeFile(join(files, 'go'), '');
    const limit = (soft: number) =>
      execFileSync('prlimit', ['--pid', String(hob.process.pid), `--nofile=${soft}:`]);
    for (let round = 0; round < rounds; round++) {
      const agents = Array.from({ length: 5 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
      onTestFinished(() => {
        for (const agent of agents) agent.destroy();
      });
      for (const agent of agents) expect((await callAlone(hob, id, agent)).status).toBe(200);
      // The kernel assigns the lowest free number below the limit, and all of those are in use.
      limit(3);
      for (const agent of agents) expectRefusal(await callAlone(hob, id, agent));
      limit(4096);
      await expectNormal(hob, id);
      // The refusal closed the connection.
      for (const agent of agents) expect((await callAlone(hob, id, agent)).status).toBe(200);
    }
  },
);

it.skipIf(!canBeNobody)("a user's process limit causes 503 while it is reached", patiently, async () => {
  const scripts = await tempFolder();
  const files = await tempFolder();
  const id = await writeHolder(scripts, files);
  const home = await tempFolder();
  // A separate user, because the limit counts all processes of a user.
  const user = randomInt(100_000, 1_000_000);
  for (const path of [scripts, files, home, join(files, 'breath')]) await chown(path, user, user);
  const { hob } = await startTraced({
    home,
    scripts: [scripts],
    settings: 'max_runs = 100\n',
    env: { HOME: home },
    wrapper: [
      'setpriv',
      `--reuid=${user}`,
      `--regid=${user}`,
      '--clear-groups',
      'bash',
      '-c',
      'ulimit -u 50; exec "$@"',
      'limited',
    ],
  });
  for (let round = 0; round < rounds; round++) {
    const counts = await tally(await callAtOnce(hob, id, files));
    expect(counts.refused, JSON.stringify(counts)).toBeGreaterThan(0);
    expect(counts.cutOff, JSON.stringify(counts)).toBe(0);
    await expectNormal(hob, id);
    await rm(join(files, 'go'));
    figure(`calls refused while the user could have 50 processes, of ${callers}`, counts.refused);
  }
});

/** Runs that were accepted before the home failed end during the failure, and their ends are recorded after it. */
async function survive(
  home: string,
  damage: () => Promise<void>,
  repair: () => Promise<void>,
): Promise<number> {
  const { hob, id, files } = await startHolding({ home });
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const runs: string[] = [];
    for (let run = 0; run < 3; run++)
      runs.push(String((await hob.post('/api/execute', { script_id: id })).body.run_id));
    await until('all of them hold', async () => runs.every(includedIn(await linesOf(join(files, 'ledger')))));
    await damage();
    for (const sync of [true, false]) {
      expectRefusal(await hob.post('/api/execute', { script_id: id, sync }));
      refused += 1;
    }
    expect((await hob.get('/api/health')).status).toBe(200);
    await writeFile(join(files, 'go'), '');
    // The runs end now, whether or not their ends can be recorded.
    await until('they have ended', () => isOver(hob, runs));
    await repair();
    for (const run of runs) expect(await hob.ended(run)).toMatchObject({ end_cause: 'exit', exit_code: 7 });
    await expectNormal(hob, id);
    await rm(join(files, 'go'));
  }
  return refused;
}

const includedIn = (lines: string[]) => (run: string) => lines.includes(run);

/** Whether the processes of these runs have exited. */
async function isOver(hob: Hob, runs: readonly string[]): Promise<boolean> {
  expect(hob.process.exitCode).toBeNull();
  const left = await Promise.all(runs.map((run) => processesWith(`HOB_RUN_ID=${run}`)));
  return left.flat().length === 0;
}

async function smallDisk(): Promise<string> {
  const home = await tempFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', home]);
  unmountAtEnd(home);
  return home;
}

/** A read-only bind mount of a folder at another path. A bind mount of that path is read-only too. */
async function readOnlyViewOf(folder: string): Promise<string> {
  const view = await tempFolder();
  execFileSync('mount', ['--bind', folder, view]);
  unmountAtEnd(view);
  // No process uses this path, so no file is open for writing there.
  execFileSync('mount', ['-o', 'remount,bind,ro', view]);
  return view;
}

/** Removes every mount at a folder. A failed test may leave several on top of each other. */
function unmountAtEnd(folder: string): void {
  onTestFinished(() => {
    while (spawnSync('umount', ['-l', folder], { stdio: 'ignore' }).status === 0);
  });
}

it.skipIf(!canMount)(
  'a disk that fills up while scripts run causes 503, and no end is lost',
  patiently,
  async () => {
    const home = await smallDisk();
    const filler = join(home, 'filler');
    const fill = async () => {
      await writeFile(filler, Buffer.alloc(16 * 1024 * 1024)).catch(() => {});
    };
    figure('calls refused while the disk was full', await survive(home, fill, () => rm(filler)));
  },
);

it.skipIf(!canMount)('deleting runs frees space on a full disk', patiently, async () => {
  const home = await smallDisk();
  const scripts = await tempFolder();
  const text = 'head -c 1000000 /dev/zero > "$(dirname "$1")/large"\n';
  const id = await writeScript(scripts, 'large', { entry: ['main.sh', text] });
  const { hob } = await startTraced({ home, scripts: [scripts] });
  const runs: string[] = [];
  for (let run = 0; run < 3; run++) runs.push((await hob.run(id)).headers.get('x-hob-run-id') ?? '');
  // A synchronous call is answered before the end of its run is recorded, and a run without an end cannot be deleted.
  for (const run of runs) await hob.ended(run);
  await writeFile(join(home, 'filler'), Buffer.alloc(16 * 1024 * 1024)).catch(() => {});
  for (const run of runs) {
    const deleted = await fetch(`${hob.url}/api/runs/${run}`, { method: 'DELETE' });
    expect({ status: deleted.status, body: await deleted.json() }).toMatchObject({ status: 200 });
    // The filler takes the freed space immediately.
    await writeFile(join(home, `filler-${run}`), Buffer.alloc(16 * 1024 * 1024)).catch(() => {});
  }
  expect(await readdir(join(home, 'runs'))).toEqual([]);
});

it.skipIf(!canMount)(
  'a home that becomes read-only while scripts run causes 503, and no end is lost',
  patiently,
  async () => {
    const home = await smallDisk();
    const view = await readOnlyViewOf(home);
    // One call: a file that a process opens between a mount and a remount would make the remount fail as busy.
    const cover = async () => {
      execFileSync('mount', ['--bind', view, home]);
    };
    const uncover = async () => {
      execFileSync('umount', ['-l', home]);
    };
    figure('calls refused while the home was read-only', await survive(home, cover, uncover));
  },
);
