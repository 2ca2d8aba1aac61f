import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A small Node process that runs one command again and again, in one of the ways that Hob is made of: by a plain spawn, by the
 * executor's own way to start a script, or through an executor. What it does not need it does not load: starting a process takes the
 * longer, the larger one is.
 */
const [, , way, place, file, ...args] = process.argv;
const dist = (path) => new URL(`../../dist/${path}`, import.meta.url);
let made = 0;
const { runOnce, close } = await { spawn: preparePlain, script: prepareScript, executor: prepareExecutor }[
  way
]();

process.on('message', async (ms) => {
  const times = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    made += 1;
    // Before the clock runs: the folder of a run is the business of the service.
    if (way !== 'spawn') mkdirSync(runFolder(), { recursive: true });
    const began = performance.now();
    await runOnce();
    times.push(performance.now() - began);
  }
  process.send({ times });
});
process.once('disconnect', async () => {
  await close();
  process.exit();
});
process.send({ times: [] });

async function preparePlain() {
  const runOnce = async () => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    await once(child, 'close');
  };
  return { runOnce, close() {} };
}

async function prepareScript() {
  const { FifoPool } = await import(dist('executor/fifo-pool.js'));
  const { spawnScript } = await import(dist('executor/spawn-script.js'));
  const fifos = new FifoPool(join(place, 'pipes'));
  await fifos.open();
  const runOnce = async () => {
    const script = await spawnScript(nextSpec(), { fifos, window: null });
    await script.exited;
    await script.settle();
  };
  return { runOnce, close: () => fifos.close() };
}

async function prepareExecutor() {
  const { ExecutorClient } = await import(dist('execution/executor-client.js'));
  const { createLogger } = await import(dist('shared/log.js'));
  const { readVersion } = await import(dist('shared/version.js'));
  const home = join(place, 'home');
  mkdirSync(home, { mode: 0o700 });
  const client = new ExecutorClient({
    home,
    entry: fileURLToPath(dist('executor/main.js')),
    version: readVersion(),
    env: process.env,
    log: await createLogger('silent'),
  });
  await client.connect();
  const runOnce = async () => {
    const spec = nextSpec();
    const { exitCode } = await client.run(spec, { given() {}, started() {}, timedOut() {} });
    client.acknowledge(spec.runId);
    if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}`);
  };
  return { runOnce, close: () => client.close() };
}

function runFolder() {
  return join(place, 'runs', way, String(made));
}

function nextSpec() {
  const runId = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
  return {
    runId,
    file,
    args,
    isVerbatim: false,
    cwd: place,
    env: { ...process.env, HOB_RUN_ID: runId },
    runFolder: runFolder(),
    timeoutMs: null,
    stopGraceMs: 5000,
    outputLogBytes: 64 * 2 ** 20,
    survivors: 'keep',
    window: null,
    warm: null,
  };
}
