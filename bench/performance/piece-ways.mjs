import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The parts of a run, each measured with Hob's own code. A part loads only the modules that it needs, because a larger process takes longer to
 * start another one.
 */
export const ways = {
  spawn: plainSpawn,
  launch: plainLaunch,
  script: scriptSpawn,
  executor: throughExecutor,
  messages,
  files,
};

const built = (path) => new URL(`../../build/${path}`, import.meta.url);
const echo = fileURLToPath(new URL('./echo-messages.mjs', import.meta.url));
const mebibyte = 2 ** 20;

async function plainSpawn({ file, args }) {
  return {
    runOnce: () =>
      timed(async () => {
        const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] });
        child.stdout.resume();
        await once(child, 'close');
      }),
  };
}

/** `launcher` is null if there is none; its row then shows no figure. */
async function openLauncher(folder) {
  const { FifoPool } = await import(built('executor/fifo-pool.js'));
  const { Launcher } = await import(built('executor/warm/launcher.js'));
  const { findLauncher } = await import(built('executor/warm/find-launcher.js'));
  const fifos = new FifoPool(folder);
  await fifos.open();
  const found = findLauncher();
  const launcher = found && new Launcher({ ...found, fifos, now: () => performance.now() });
  const close = async () => {
    launcher?.close();
    await fifos.close();
  };
  return { fifos, launcher, close };
}

async function plainLaunch({ place, file, args }) {
  const { launcher, close } = await openLauncher(join(place, 'launch-pipes'));
  const nextSpec = specsOf({ place: join(place, 'launch'), file, args });
  let isUp = false;
  const runOnce = () => {
    const spec = nextSpec();
    return timed(async () => {
      const launched = await launcher?.start(spec);
      if (!launched) {
        if (isUp) throw new Error('the launcher no longer starts programs');
        return;
      }
      isUp = true;
      await launched.exited;
      for (const pipe of [launched.stdout, launched.stderr]) {
        readSync(pipe.readFd, Buffer.alloc(100));
        pipe.giveBack();
      }
    });
  };
  return { runOnce, close };
}

async function scriptSpawn({ place, file, args }) {
  const { spawnScript } = await import(built('executor/spawn-script.js'));
  const { fifos, launcher, close } = await openLauncher(join(place, 'pipes'));
  const warm = launcher && { start: () => null, launch: (spec) => launcher.start(spec) };
  const nextSpec = specsOf({ place: join(place, 'script'), file, args });
  const runOnce = () => {
    const spec = nextSpec();
    return timed(async () => {
      const script = await spawnScript(spec, { fifos, window: null, warm });
      await script.exited;
      await script.settle();
    });
  };
  return { runOnce, close };
}

async function throughExecutor({ place, file, args }) {
  const { ExecutorClient } = await import(built('execution/executor-client.js'));
  const { createLogger } = await import(built('shared/log.js'));
  const { readVersion } = await import(built('shared/version.js'));
  const home = join(place, 'home');
  mkdirSync(home, { mode: 0o700 });
  const client = new ExecutorClient({
    home,
    entry: fileURLToPath(new URL('../../dist/executor/main.js', import.meta.url)),
    version: readVersion(),
    env: process.env,
    warmLimits: { memoryBytes: 256_000_000, idleMs: 1_800_000 },
    log: await createLogger('silent'),
  });
  await client.connect();
  const nextSpec = specsOf({ place: join(place, 'executor'), file, args });
  const runOnce = async () => {
    const spec = nextSpec();
    const tookMs = await timed(() => client.run(spec, { given() {}, started() {}, timedOut() {} }));
    client.acknowledge(spec.runId);
    return tookMs;
  };
  return { runOnce, close: () => client.close() };
}

/** The messages about a run, exchanged with a process that runs nothing: sends `start`, receives `started` and `ended`. */
async function messages({ place, file, args }) {
  const { receiveMessages, sendMessage } = await import(built('execution/message-lines.js'));
  const socketPath = join(place, 'echo.sock');
  const child = spawn(process.execPath, [echo, socketPath], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const socket = connect(socketPath);
  let onEnded = () => {};
  receiveMessages(socket, ['started', 'ended'], ({ type }) => {
    if (type === 'ended') onEnded();
  });
  const nextSpec = specsOf({ place: join(place, 'messages'), file, args });
  const runOnce = () => {
    const spec = nextSpec();
    return timed(() => {
      const ended = new Promise((resolve) => {
        onEnded = resolve;
      });
      sendMessage(socket, { type: 'start', spec });
      return ended;
    });
  };
  return { runOnce, close: () => socket.destroy() };
}

/** The file operations of the service for a run: creates its folder and parameter file, removes the parameter file, looks for a result. */
async function files({ place }) {
  const { writeParameterFile } = await import(built('runs/parameter-file.js'));
  const { removeParameterFile } = await import(built('execution/remove-parameter-file.js'));
  const { runFolderAt } = await import(built('runs/run-folder.js'));
  const { readOutcome } = await import(built('runs/outcome/read-outcome.js'));
  const [runsFolder, output] = [join(place, 'files'), 'forty-two\n'];
  mkdirSync(runsFolder);
  const kept = { bytes: output.length, headBytes: output.length, tailBytes: 0, text: output };
  const none = { bytes: 0, headBytes: 0, tailBytes: 0 };
  const end = { cause: 'exit', exitCode: 0, signal: null, spawnError: null, stdout: kept, stderr: none };
  const limits = { resultBytes: 16 * mebibyte, outputAnswerBytes: 16 * mebibyte };
  const circumstances = { timeoutMs: null, unavailable: null, language: 'en' };
  let made = 0;
  const runOnce = async () => {
    made += 1;
    const runId = idOf(made);
    const folder = runFolderAt(runsFolder, runId);
    const apiBase = 'http://127.0.0.1:9527/r/0123456789012345678901234567890123456789012';
    const content = { apiBase, runId, scriptId: idOf(0), scriptFolder: place, invokeMode: 'node' };
    return timed(async () => {
      const file = { ...content, data: {}, params: {} };
      await writeParameterFile(folder, file, { durable: false });
      await removeParameterFile(folder.path);
      await readOutcome({ ...circumstances, folder, end, limits, withOutput: true });
    });
  };
  return { runOnce, close: () => {} };
}

async function timed(doIt) {
  const began = performance.now();
  await doIt();
  return performance.now() - began;
}

function idOf(number) {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Creates the specs of consecutive runs. Creates the folder of a run before its time is measured, because the service does that. */
function specsOf({ place, file, args }) {
  let made = 0;
  return () => {
    made += 1;
    const [runId, runFolder] = [idOf(made), join(place, String(made))];
    mkdirSync(runFolder, { recursive: true });
    return {
      runId,
      file,
      args,
      isVerbatim: false,
      cwd: place,
      env: { ...process.env, HOB_RUN_ID: runId },
      runFolder,
      timeoutMs: null,
      stopGraceMs: 5000,
      outputLogBytes: 64 * mebibyte,
      survivors: 'keep',
      window: null,
      warm: null,
    };
  };
}
