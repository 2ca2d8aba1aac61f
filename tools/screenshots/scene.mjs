import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openDatabase } from '../../build/storage/database.js';
import { SqliteRunStore } from '../../build/storage/sqlite-run-store.js';
import { root } from '../lib/prepare.mjs';
import { ids, writeScripts } from './scripts.mjs';

const dayMs = 86_400_000;
/** Runs per day, duration and failure rate of each script. */
const past = [
  { id: ids.resize, name: 'Resize images', aDay: 5, tookMs: 2300, failsEvery: 19 },
  { id: ids.backup, name: 'Nightly backup', aDay: 1, tookMs: 540_000, failsEvery: 11 },
  { id: ids.publish, name: 'Publish the album', aDay: 2, tookMs: 8400, failsEvery: 14 },
  { id: ids.tidy, name: '整理扫描件', aDay: 3, tookMs: 1200, failsEvery: 5 },
];

/** Starts a service with scripts and a history for the screenshots. */
export async function openScene(folder) {
  const home = join(folder, 'home');
  mkdirSync(join(home, 'scripts'), { recursive: true, mode: 0o700 });
  writeScripts(join(home, 'scripts'));
  writeFileSync(join(home, 'settings.toml'), 'port = 0\nmax_runs = 16\n');
  writePast(home);
  const service = await startService(home);
  const post = async (path, body) => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': 'en', 'x-hob-origin': 'console' },
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const run = async (id, rest = {}) => (await post('/api/execute', { script_id: id, ...rest })).run_id;
  const ended = async (runId) => {
    await fetch(`${service.url}/api/runs/${runId}?wait=30`);
    return runId;
  };
  const once = (start) => {
    let started;
    return () => (started ??= start());
  };
  return {
    url: service.url,
    chain: await ended(await run(ids.publish)),
    failed: await ended(await run(ids.tidy)),
    running: once(() => run(ids.backup)),
    asking: once(() => run(ids.album)),
    async close() {
      await post('/api/stop', { all: true });
      await service.ended;
    },
  };
}

async function startService(home) {
  const child = spawn(
    process.execPath,
    [join(root, 'bin', 'hob.js'), 'serve', '--home', home, '--scripts', join(root, 'examples')],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, HOB_LOG_LEVEL: 'error', HOB_HOME: '' } },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim().split(' ').at(-1)));
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return { url, ended };
}

/** Four weeks of runs, the same each time except for their ids. */
function writePast(home) {
  const database = openDatabase(join(home, 'hob.db'));
  const store = new SqliteRunStore(database);
  store.atomically(
    () => {
      for (let ago = 27; ago >= 0; ago--) {
        for (const { id, name, aDay, tookMs, failsEvery } of past) {
          const times = Math.max(1, Math.round(aDay * (0.6 + ((ago * 7) % 5) / 5)));
          for (let number = 0; number < times; number++)
            writeRun(store, {
              id,
              name,
              atMs: Date.now() - ago * dayMs - (number + 1) * 2_400_000,
              tookMs: Math.round(tookMs * (0.7 + ((ago + number * 3) % 7) / 10)),
              isFailure: (ago * 3 + number) % failsEvery === failsEvery - 1,
            });
        }
      }
    },
    { durable: false },
  );
  database.close();
}

function writeRun(store, { id, name, atMs, tookMs, isFailure }) {
  const runId = randomUUID();
  const [queuedAt, endedAt] = [new Date(atMs).toISOString(), new Date(atMs + tookMs).toISOString()];
  const message = isFailure ? 'The disk in the cellar does not answer' : 'Done';
  store.insert(
    {
      runId,
      scriptId: id,
      scriptName: name,
      scriptVersion: '1.2.0',
      origin: 'execute',
      parentRunId: null,
      depth: 0,
      sync: false,
      executor: null,
      state: 'queued',
      endCause: null,
      exitCode: null,
      result: null,
      code: null,
      message: null,
      envelope: null,
      data: {},
      params: {},
      queuedAt,
      startedAt: null,
      endedAt: null,
      durationMs: null,
      stdoutBytes: null,
      stderrBytes: null,
      stdoutKept: null,
      stderrKept: null,
      truncated: null,
      leftRunning: null,
    },
    `past ${runId}`,
    { durable: false },
  );
  const code = isFailure ? 1 : 0;
  store.finish(runId, {
    state: isFailure ? 'failed' : 'succeeded',
    endCause: 'exit',
    exitCode: code,
    result: new TextEncoder().encode(JSON.stringify({ code, msg: message })),
    code,
    message,
    envelope: 'own',
    startedAt: queuedAt,
    endedAt,
    durationMs: tookMs,
    stdoutBytes: 0,
    stderrBytes: 0,
    stdoutKept: { headBytes: 0, tailBytes: 0 },
    stderrKept: { headBytes: 0, tailBytes: 0 },
    truncated: false,
    leftRunning: null,
  });
}
