import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { openDatabase } from '../../build/storage/database.js';
import { SqliteRunStore } from '../../build/storage/sqlite-run-store.js';
import { scriptId } from './fill-history.mjs';
import { ratio, rounded, Samples } from './samples.mjs';

const runs = 500;
const warmUps = 50;

/** Measures the database writes of one run, on two histories in turn, without waiting for the disk. */
export function measureWrites(homes) {
  const databases = homes.map((home) => openDatabase(join(home, 'hob.db')));
  const stores = databases.map((database) => new SqliteRunStore(database));
  const names = ['insert', 'start', 'end', 'all three'];
  const times = names.map(() => stores.map(() => new Samples()));
  for (let at = -warmUps; at < runs; at++) {
    for (const [side, store] of stores.entries()) {
      const spent = writeOneRun(store);
      if (at >= 0) for (const [index, ms] of spent.entries()) times[index][side].add(1000 * ms);
    }
  }
  for (const database of databases) database.close();
  return names.map((name, index) => {
    const [small, large] = times[index];
    const seen = times[index].flatMap((each) => [rounded(each.at(0.5)), rounded(each.at(0.99))]);
    return [name, ...seen, ratio(large.at(0.5), small.at(0.5))];
  });
}

function writeOneRun(store) {
  const runId = randomUUID();
  const now = new Date().toISOString();
  const steps = [
    () => store.insert(newRun(runId, now), hashOf(runId), { durable: false }),
    () => store.markStarted(runId, { startedAt: now, executor: '1-aa' }, { durable: false }),
    () => store.finish(runId, ending(now)),
  ];
  const spent = steps.map((step) => {
    const began = performance.now();
    step();
    return performance.now() - began;
  });
  return [...spent, spent.reduce((sum, ms) => sum + ms, 0)];
}

function hashOf(runId) {
  return createHash('sha256').update(runId).digest('hex');
}

function newRun(runId, now) {
  return {
    runId,
    scriptId: scriptId(7),
    scriptName: 'Resize images 7',
    scriptVersion: '1.0.0',
    origin: 'execute',
    parentRunId: null,
    depth: 0,
    sync: false,
    state: 'queued',
    data: { images: ['/home/ada/pictures/1.jpg'] },
    params: { quality: 85, format: 'png', keep: true },
    queuedAt: now,
  };
}

function ending(now) {
  return {
    state: 'succeeded',
    endCause: 'exit',
    exitCode: 0,
    result: Buffer.from('{"code":0,"msg":"done","output_paths":["/home/ada/small/1.png"]}'),
    code: 0,
    message: 'done',
    envelope: 'own',
    startedAt: now,
    endedAt: now,
    durationMs: 100,
    stdoutBytes: 100,
    stderrBytes: 0,
    stdoutKept: { headBytes: 100, tailBytes: 0 },
    stderrKept: { headBytes: 0, tailBytes: 0 },
    truncated: false,
    leftRunning: 0,
  };
}
