import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { ExecutorProxy } from '../../test/support/executor-proxy.ts';
import {
  executorPid,
  executorPids,
  isRunning,
  projectRoot,
  tempFolder,
  untilGone,
} from '../../test/support/hob.ts';
import { testPath } from '../../test/support/needs.ts';
import { endProcesses, untilSo } from '../../test/support/shells.ts';
import { fileThere } from '../../test/support/until.ts';
import { removeCgroups } from '../executor/cgroups.ts';
import { inherit } from '../executor/journal.ts';
import { createLogger } from '../shared/log.ts';
import { isAlive } from '../shared/process-stat.ts';
import { readVersion } from '../shared/version.ts';
import { ExecutorClient, type RunHooks } from './executor-client.ts';
import { findExecutors, launchExecutor } from './executor-set.ts';
import { receiveMessages, sendMessage } from './message-lines.ts';
import {
  type Count,
  type ExecutorAddress,
  executorFolder,
  type FromExecutor,
  fromExecutorTypes,
  protocolVersion,
  type RunSpec,
  runCookie,
  type ToExecutor,
} from './messages.ts';

const entry = join(projectRoot, 'dist', 'executor', 'main.js');
const env = { PATH: testPath };
const warmLimits = { memoryBytes: 64 * 1024 * 1024, idleMs: 60_000 };

/** A home with the scripts of a test. Every process started in it is ended with the test. */
async function openHome() {
  const home = await tempFolder();
  const runIds: string[] = [];
  onTestFinished(async () => {
    for (const runId of runIds) await endProcesses(runId);
    // Executors without a service and without runs exit by themselves. An executor that does not notice is killed here.
    const deadlineMs = performance.now() + 5000;
    await untilSo(async () => {
      const living = await livingExecutors(home);
      if (performance.now() > deadlineMs) for (const pid of living) process.kill(pid, 'SIGKILL');
      return living.length === 0;
    });
    await inherit(join(home, executorFolder), async ({ cgroups }) => {
      if (cgroups !== null) removeCgroups(cgroups);
    });
  });
  return {
    home,
    path: (name: string) => join(home, name),
    /** A script that appends a line to `starts` each time it is started. */
    async spec(script: string, rest: Partial<RunSpec> = {}): Promise<RunSpec> {
      const runId = randomUUID();
      runIds.push(runId);
      const runFolder = join(home, runId);
      await mkdir(runFolder);
      return {
        runId,
        file: '/bin/sh',
        args: ['-c', `echo started >> starts; ${script}`],
        isVerbatim: false,
        cwd: home,
        env: { ...env, [runCookie]: runId },
        runFolder,
        timeoutMs: null,
        stopGraceMs: 5000,
        outputLogBytes: 1024 * 1024,
        survivors: 'keep',
        ...rest,
      };
    },
    async starts(): Promise<number> {
      return (await readFile(join(home, 'starts'), 'utf8')).split('\n').length - 1;
    },
  };
}

async function livingExecutors(home: string): Promise<number[]> {
  const names = await readdir(join(home, executorFolder)).catch(() => []);
  const pids = names.map((name) => Number(/^(\d+)-/.exec(name)?.[1])).filter((pid) => pid > 0);
  return [...new Set(pids)].filter(isAlive);
}

async function openClient(home: string, options: { entry?: string } = {}): Promise<ExecutorClient> {
  const client = new ExecutorClient({
    home,
    entry,
    version: readVersion(),
    env,
    warmLimits,
    log: await createLogger('silent'),
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** An executor that was started before the service, and is reachable only through a proxy. */
async function launchBehindProxy(home: string) {
  const executor = await launchDirectly(home);
  return { executor, proxy: await ExecutorProxy.before(home, executor) };
}

async function launchDirectly(home: string): Promise<ExecutorAddress> {
  const pid = await launchExecutor({ entry, home, env });
  const address = (await findExecutors(home)).find((each) => each.pid === pid);
  if (address === undefined) throw new Error('the executor has no address');
  return address;
}

/** The hooks of a run's caller, and the events they received, in order. */
function listen(): { hooks: RunHooks; heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    hooks: {
      given: () => heard.push('given'),
      started: () => heard.push('started'),
      timedOut: () => heard.push('timed out'),
    },
  };
}

const noHooks: RunHooks = { given: () => {}, started: () => {}, timedOut: () => {} };

describe('a run', () => {
  it('reports its start and its true end', async () => {
    const { home, path, spec, starts } = await openHome();
    const client = await openClient(home);
    expect(client.containment).toBeNull();
    const { hooks, heard } = listen();
    const run = await spec(
      'echo out; echo err >&2; touch up; while [ ! -e go ]; do sleep 0.01; done; exit 3',
    );
    const end = client.run(run, hooks);
    await fileThere(path('up'));
    await untilSo(() => client.processes.size === 1);
    expect([...client.processes.values()]).toEqual([run.runId]);
    expect(client.containment).toEqual(expect.any(String));
    await mkdir(path('go'));
    expect(await end).toMatchObject({
      runId: run.runId,
      cause: 'exit',
      exitCode: 3,
      signal: null,
      stdout: { bytes: 4 },
      stderr: { bytes: 4 },
    });
    expect(heard).toEqual(['given', 'started']);
    expect(client.processes.size).toBe(0);
    expect(await starts()).toBe(1);
    client.acknowledge(run.runId);
  });

  it('shares one executor with other runs', async () => {
    const { home, spec, starts } = await openHome();
    const client = await openClient(home);
    const specs = await Promise.all(Array.from({ length: 8 }, (_, index) => spec(`exit ${index}`)));
    const ends = await Promise.all(specs.map((run) => client.run(run, noHooks)));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await starts()).toBe(8);
    expect(await executorPids(home)).toHaveLength(1);
    for (const { runId } of specs) client.acknowledge(runId);
  });

  it('reports its timeout before its end', async () => {
    const { home, spec } = await openHome();
    const client = await openClient(home);
    const { hooks, heard } = listen();
    const end = await client.run(await spec('exec sleep 600', { timeoutMs: 50 }), hooks);
    expect(end).toMatchObject({ cause: 'timeout', exitCode: 143, leftRunning: 0 });
    expect(heard).toEqual(['given', 'started', 'timed out']);
  });

  it('is not given to an executor when that cannot be recorded', async () => {
    const { home, path, spec } = await openHome();
    const client = await openClient(home);
    const given = () => {
      throw new Error('no room for the record');
    };
    await expect(client.run(await spec('exit 0'), { ...noHooks, given })).rejects.toThrow('no room');
    expect((await client.run(await spec('exit 0'), noHooks)).exitCode).toBe(0);
    expect((await readFile(path('starts'), 'utf8')).trim()).toBe('started');
  });

  it('waits for the next executor when one is killed during its start', async () => {
    const { home, spec, starts } = await openHome();
    // It has announced its address, and is killed before it says that it is ready.
    const killedAtFirst = `import { existsSync, writeFileSync } from 'node:fs';
      if (!existsSync('first')) {
        writeFileSync('first', '');
        process.stdout.write = () => process.kill(process.pid, 'SIGKILL');
      }
      await import(${JSON.stringify(pathToFileURL(entry).href)});`;
    await writeFile(join(home, 'entry.mjs'), killedAtFirst);
    const client = await openClient(home, { entry: join(home, 'entry.mjs') });
    const specs = await Promise.all(Array.from({ length: 4 }, (_, index) => spec(`exit ${index}`)));
    const ends = await Promise.all(specs.map((run) => client.run(run, noHooks)));
    expect(existsSync(join(home, 'first'))).toBe(true);
    expect(ends.map(({ cause, exitCode }) => [cause, exitCode])).toEqual(
      [0, 1, 2, 3].map((code) => ['exit', code]),
    );
    expect(await starts()).toBe(4);
    for (const { runId } of specs) client.acknowledge(runId);
  });

  it('is refused when every executor is killed during its start', async () => {
    const { home, spec } = await openHome();
    await writeFile(join(home, 'entry.mjs'), "process.kill(process.pid, 'SIGKILL');");
    const client = await openClient(home, { entry: join(home, 'entry.mjs') });
    await expect(client.run(await spec('exit 0'), noHooks)).rejects.toMatchObject({
      code: 'executor-unavailable',
    });
  });

  it('is refused when no executor can be started', async () => {
    const { home, spec } = await openHome();
    const client = await openClient(home, { entry: join(home, 'not-there.js') });
    await expect(client.run(await spec('exit 0'), noHooks)).rejects.toMatchObject({
      code: 'executor-unavailable',
    });
    expect(existsSync(join(home, 'starts'))).toBe(false);
  });

  it('reports after its end how many processes it left running', async () => {
    const { home, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    client.catchUp();
    const counted = new Promise<readonly Count[]>((resolve) => client.counts.subscribe(resolve));
    const run = await spec('sleep 600 > /dev/null 2>&1 & exit 0');
    expect((await client.run(run, noHooks)).leftRunning).toBeNull();
    client.acknowledge(run.runId);
    expect(await counted).toEqual([{ runId: run.runId, leftRunning: 1 }]);
    client.acknowledgeCounts([run.runId]);
    await untilSo(() => proxy.countOf('acknowledge-counts') === 1);
  });

  it('has its count sent to the next service, also when the count arrived before the service caught up', async () => {
    const { home, spec } = await openHome();
    const first = await openClient(home);
    first.catchUp();
    const counted = new Promise<readonly Count[]>((resolve) => first.counts.subscribe(resolve));
    // A process that holds its streams keeps the executor running.
    const run = await spec('sleep 600 & exit 0');
    await first.run(run, noHooks);
    await counted;
    await first.close();
    const second = await openClient(home);
    await second.connect();
    const received = new Promise<readonly Count[]>((resolve) => second.counts.subscribe(resolve));
    second.catchUp();
    expect(await received).toEqual([{ runId: run.runId, leftRunning: 1 }]);
  });

  it('has its count sent again when the connection broke before it arrived', async () => {
    const { home, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    client.catchUp();
    const counted = new Promise<readonly Count[]>((resolve) => client.counts.subscribe(resolve));
    const broken = proxy.cut('counted', 'before');
    const run = await spec('sleep 600 > /dev/null 2>&1 & exit 0');
    await client.run(run, noHooks);
    client.acknowledge(run.runId);
    await broken;
    expect(await counted).toEqual([{ runId: run.runId, leftRunning: 1 }]);
  });
});

describe('a connection that breaks', () => {
  it.each([
    ['before the run arrives', 'start', 'before'],
    ['after the run arrived, and before its start is reported', 'start', 'after'],
    ['before the start of the run is reported', 'started', 'before'],
    ['after the start of the run was reported', 'started', 'after'],
    ['before its end is reported', 'ended', 'before'],
    ['after its end was reported', 'ended', 'after'],
    ['before the acknowledgement of its end arrives', 'acknowledge', 'before'],
    ['after the acknowledgement of its end arrived', 'acknowledge', 'after'],
  ] as const)('%s leaves it with one start and one end', async (_moment, type, when) => {
    const { home, spec, starts } = await openHome();
    const { executor, proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    await client.connect();
    client.catchUp();
    const broken = proxy.cut(type, when);
    // The executor reports the start of a longer run separately. The end of a shorter run includes its start.
    const run = await spec('sleep 0.1; exit 5');
    expect(await client.run(run, noHooks)).toMatchObject({ runId: run.runId, cause: 'exit', exitCode: 5 });
    client.acknowledge(run.runId);
    await broken;
    await untilSo(() => proxy.countOf('acknowledge') > 0 && proxy.countOf('welcome') === 2);
    // The executor is done with the run: it has nothing to report to the next service.
    expect(client.processes.size).toBe(0);
    expect(await starts()).toBe(1);
    const next = await spec('exit 6');
    expect(await client.run(next, noHooks)).toMatchObject({ exitCode: 6 });
    client.acknowledge(next.runId);
    await client.close();
    await untilGone(executor.pid);
    const left = await readdir(join(home, executorFolder));
    expect(left.filter((name) => name.endsWith('-runs.jsonl'))).toEqual([]);
    expect(await starts()).toBe(2);
  });

  it('and loses a stop request does not keep the run running', async () => {
    const { home, path, spec, starts } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    const run = await spec('touch up; exec sleep 600');
    const end = client.run(run, noHooks);
    await fileThere(path('up'));
    const broken = proxy.cut('stop', 'before');
    client.stop(run.runId, 'cancelled');
    await broken;
    expect(await end).toMatchObject({ cause: 'cancelled', exitCode: 143 });
    expect(await starts()).toBe(1);
  });

  it('and loses both the run and the request to stop it leaves one end, with the first cause', async () => {
    const { home, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    await client.connect();
    const broken = proxy.cut('start', 'before');
    proxy.isOpen = false;
    const run = await spec('exec sleep 600');
    const end = client.run(run, noHooks);
    await broken;
    client.stop(run.runId, 'shutdown');
    client.stop(run.runId, 'cancelled');
    proxy.isOpen = true;
    expect(await end).toMatchObject({ cause: 'shutdown' });
  });

  it('does not cause another executor to start, nor new runs to be refused', async () => {
    const { home, spec, starts } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    await client.connect();
    proxy.isOpen = false;
    proxy.break();
    await untilSo(() => proxy.turnedAway > 0);
    const end = client.run(await spec('exit 4'), noHooks);
    proxy.isOpen = true;
    expect((await end).exitCode).toBe(4);
    expect(await starts()).toBe(1);
    expect(await executorPids(home)).toHaveLength(1);
  });

  it('does not keep an end from being acknowledged that was repeated before the service caught up', async () => {
    const { home, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    const broken = proxy.cut('acknowledge', 'before');
    const run = await spec('exit 0');
    await client.run(run, noHooks);
    client.acknowledge(run.runId);
    await broken;
    await untilSo(() => proxy.countOf('welcome') === 2);
    expect(proxy.countOf('acknowledge')).toBe(0);
    client.catchUp();
    await untilSo(() => proxy.countOf('acknowledge') === 1);
  });

  it('before the start of a run is reported does not hide that start from its caller', async () => {
    const { home, path, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    const { hooks, heard } = listen();
    const broken = proxy.cut('started', 'before');
    const end = client.run(await spec('while [ ! -e go ]; do sleep 0.01; done'), hooks);
    await broken;
    await untilSo(() => client.processes.size === 1);
    await mkdir(path('go'));
    await end;
    expect(heard).toEqual(['given', 'started']);
  });

  it('before the timeout of a run is reported does not hide that timeout from its caller', async () => {
    const { home, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    const { hooks, heard } = listen();
    const broken = proxy.cut('timed-out', 'before');
    const end = client.run(
      await spec('trap "" TERM; while :; do sleep 600; done', { timeoutMs: 100, stopGraceMs: 1500 }),
      hooks,
    );
    await broken;
    await end;
    expect(heard).toEqual(['given', 'started', 'timed out']);
  });
});

/** A service that vanishes as soon as the executor has received its message. */
async function sendAndVanish(address: ExecutorAddress, message: ToExecutor): Promise<void> {
  const socket = connect(address.socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    receiveMessages<FromExecutor>(socket, fromExecutorTypes, ({ type }) => {
      if (type === 'welcome') sendMessage(socket, message);
      else if (type === 'started') resolve();
    });
    sendMessage(socket, { type: 'hello', protocol: protocolVersion, secret: address.secret });
  });
  socket.destroy();
}

describe('a run of an earlier service', () => {
  it('is kept by its executor until its end is recorded, also when that end was known when the service attached', async () => {
    const { home, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const first = await openClient(home);
    // A process that holds its streams keeps the executor running.
    const run = await spec('sleep 600 & exit 5');
    await first.run(run, noHooks);
    await first.close();

    const second = await openClient(home);
    await second.connect();
    const attached = second.attach(run.runId, null, noHooks);
    second.catchUp();
    expect(attached).toMatchObject({ kind: 'attached' });
    // An acknowledgement would have arrived before this later message.
    await second.connect();
    expect(proxy.countOf('acknowledge')).toBe(0);
    second.acknowledge(run.runId);
    await untilSo(() => proxy.countOf('acknowledge') === 1);
  });

  it('is not acknowledged when its end is repeated while it is being recorded', async () => {
    const { home, path, spec } = await openHome();
    const { proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    client.catchUp();
    const run = await spec('exit 5');
    expect(await client.run(run, noHooks)).toMatchObject({ exitCode: 5 });
    // Any other message that breaks the connection will do.
    const broken = proxy.cut('started', 'after');
    const other = client.run(await spec('while [ ! -e go ]; do sleep 0.01; done'), noHooks);
    await broken;
    await untilSo(() => client.processes.size === 1);
    await client.connect();
    expect(proxy.countOf('acknowledge')).toBe(0);
    await mkdir(path('go'));
    await other;
  });

  it('is awaited, and reported as started', async () => {
    const { home, path, spec, starts } = await openHome();
    const executor = await launchDirectly(home);
    const run = await spec('while [ ! -e go ]; do sleep 0.01; done; exit 9');
    await sendAndVanish(executor, { type: 'start', spec: run });
    const client = await openClient(home);
    await client.connect();
    expect([...client.processes.values()]).toEqual([run.runId]);
    let received = 0;
    const started = () => {
      received += 1;
    };
    const attachment = client.attach(run.runId, executor.instance, { ...noHooks, started });
    if (attachment.kind !== 'attached') throw new Error(attachment.kind);
    client.catchUp();
    await mkdir(path('go'));
    expect(await attachment.end).toMatchObject({ cause: 'exit', exitCode: 9 });
    expect(await starts()).toBe(1);
    expect(received).toBe(1);
    client.acknowledge(run.runId);
  });

  it('can be stopped', async () => {
    const { home, spec } = await openHome();
    const executor = await launchDirectly(home);
    const run = await spec('exec sleep 600');
    await sendAndVanish(executor, { type: 'start', spec: run });
    const client = await openClient(home);
    await client.connect();
    const attachment = client.attach(run.runId, executor.instance, noHooks);
    if (attachment.kind !== 'attached') throw new Error(attachment.kind);
    client.stop(run.runId, 'cancelled');
    expect(await attachment.end).toMatchObject({ cause: 'cancelled' });
  });

  it('reports its true end if it ended meanwhile', async () => {
    const { home, path, spec } = await openHome();
    const executor = await launchDirectly(home);
    const run = await spec('sleep 0.1; touch over; exit 8');
    await sendAndVanish(executor, { type: 'start', spec: run });
    await fileThere(path('over'));
    const client = await openClient(home);
    await client.connect();
    const attachment = client.attach(run.runId, executor.instance, noHooks);
    if (attachment.kind !== 'attached') throw new Error(attachment.kind);
    expect(await attachment.end).toMatchObject({ cause: 'exit', exitCode: 8 });
    client.acknowledge(run.runId);
  });

  it('is reported as never given when its executor is connected and does not know it', async () => {
    const { home } = await openHome();
    const { instance } = await launchDirectly(home);
    const client = await openClient(home);
    await client.connect();
    expect(client.attach(randomUUID(), instance, noHooks)).toEqual({ kind: 'never-given' });
  });

  it('is unknown when no executor is left that could know it', async () => {
    const { home } = await openHome();
    const client = await openClient(home);
    await client.connect();
    expect(client.attach(randomUUID(), '4242-gone', noHooks)).toEqual({ kind: 'unknown' });
    expect(client.attach(randomUUID(), null, noHooks)).toEqual({ kind: 'unknown' });
  });

  it('is awaited also when its executor does not answer yet', async () => {
    const { home, path, spec, starts } = await openHome();
    const { executor, proxy } = await launchBehindProxy(home);
    const run = await spec('while [ ! -e go ]; do sleep 0.01; done; exit 9');
    await sendAndVanish(executor, { type: 'start', spec: run });
    proxy.isOpen = false;
    const client = await openClient(home);
    await client.connect();
    const known = client.attach(run.runId, executor.instance, noHooks);
    const unknown = client.attach(randomUUID(), executor.instance, noHooks);
    if (known.kind !== 'attached' || unknown.kind !== 'attached') throw new Error(known.kind);
    proxy.isOpen = true;
    // The executor answers now, and reports that it was never given such a run.
    expect(await unknown.end).toMatchObject({ cause: 'lost' });
    await mkdir(path('go'));
    expect(await known.end).toMatchObject({ cause: 'exit', exitCode: 9 });
    expect(await starts()).toBe(1);
    client.acknowledge(run.runId);
  });
});

describe('an executor that is killed', () => {
  it('loses its runs once another executor has stopped their processes', async () => {
    const { home, path, spec, starts } = await openHome();
    const client = await openClient(home);
    const specs = [
      await spec('echo $$ > first.new; mv first.new first; exec sleep 600'),
      await spec('echo $$ > second.new; mv second.new second; exec sleep 600'),
    ];
    const ends = specs.map((run) => client.run(run, noHooks));
    const pids: number[] = [];
    for (const name of ['first', 'second']) {
      await fileThere(path(name));
      pids.push(Number(await readFile(path(name), 'utf8')));
    }
    const executor = await executorPid(home);
    process.kill(executor, 'SIGKILL');
    const seen = await Promise.all(
      ends.map(async (end) => ({ ...(await end), executors: await livingExecutors(home) })),
    );
    for (const [index, { runId, cause, exitCode, executors }] of seen.entries()) {
      expect({ runId, cause, exitCode }).toEqual({ runId: specs[index]?.runId, cause: 'lost', exitCode: -1 });
      expect(executors).toHaveLength(1);
      expect(executors).not.toContain(executor);
    }
    for (const pid of pids) expect(await isRunning(pid)).toBe(false);
    expect(client.processes.size).toBe(0);
    // The new executor takes the next runs.
    expect((await client.run(await spec('exit 2'), noHooks)).exitCode).toBe(2);
    expect(await starts()).toBe(3);
  });

  it('passes ends that were not received on to the next executor', async () => {
    const { home, spec, starts } = await openHome();
    const { executor, proxy } = await launchBehindProxy(home);
    const client = await openClient(home);
    const run = await spec('exit 5');
    const dead = proxy.cut('ended', 'before').then(() => {
      process.kill(executor.pid, 'SIGKILL');
      proxy.close();
    });
    expect(await client.run(run, noHooks)).toMatchObject({ cause: 'exit', exitCode: 5 });
    await dead;
    expect(await starts()).toBe(1);
    client.acknowledge(run.runId);
  });
});

describe('a service that shuts down', () => {
  it('ends an executor that has no runs, and starts no other', async () => {
    const { home, spec } = await openHome();
    const client = await openClient(home);
    await client.run(await spec('exit 0'), noHooks);
    const executor = await executorPid(home);
    await client.close();
    await untilGone(executor);
    expect(await livingExecutors(home)).toEqual([]);
  });

  it('leaves the executor running until its runs have ended', async () => {
    const { home, path, spec } = await openHome();
    const client = await openClient(home);
    const run = await spec('touch up; while [ ! -e go ]; do sleep 0.01; done; touch over');
    void client.run(run, noHooks);
    await fileThere(path('up'));
    const executor = await executorPid(home);
    await client.close();
    expect(await isRunning(executor)).toBe(true);
    await mkdir(path('go'));
    await fileThere(path('over'));
    await untilGone(executor);
    // An end that no service has received is kept for the next one.
    const next = await openClient(home);
    await next.connect();
    const attachment = next.attach(run.runId, null, noHooks);
    if (attachment.kind !== 'attached') throw new Error(attachment.kind);
    expect(await attachment.end).toMatchObject({ cause: 'exit', exitCode: 0 });
    next.acknowledge(run.runId);
  });
});
