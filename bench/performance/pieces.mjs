import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rounded, Samples } from '../support/samples.mjs';
import { timeNotes } from '../support/writes.mjs';
import { measureFloor } from './floor.mjs';
import { targetOf } from './load.mjs';
import { nextMessage } from './next-message.mjs';
import { programsFor } from './programs.mjs';
import { idOf, withHob, writeParameters } from './scene.mjs';

/** The options with which Hob starts the executor. */
const smallHeap = ['--max-semi-space-size=1'];
const worker = fileURLToPath(new URL('./pieces-worker.mjs', import.meta.url));

/** Measures the parts of a call of the trivial sh script. */
export function measurePieces({ folder, interpreters, floor, load, extent, say }) {
  say('pieces');
  const { sh } = programsFor({ hasNumpy: false });
  return withHob(folder, [{ id: idOf(1), name: 'sh', ...sh }], '', async (hob) => {
    const place = mkdtempSync(join(folder, 'pieces-'));
    const cwd = join(hob.home, 'scripts', 'sh');
    const command = { file: interpreters.sh, args: [join(cwd, sh.entry), writeParameters(place)], cwd };
    const burst = (target, ms) => load.burst({ target, callers: 1, warmUpMs: 100, ms });
    const health = targetOf(`${hob.url}/api/health`, { expected: 'ok' });
    const whole = hob.runTarget(idOf(1));
    await hob.watch.begin();
    const times = await withWorkers({ place, command }, (inWorkers) =>
      inTurn(extent, {
        floor: (ms) => (floor === null ? { times: [] } : measureFloor(floor, command, { callers: 1, ms })),
        ...inWorkers,
        http: (ms) => burst(health, ms),
        whole: (ms) => hob.watch.during(() => burst(whole, ms)),
      }),
    );
    const { blockedMs } = await hob.watch.end();
    const records = timeNotes(place).at(0.5);
    return { blockedMs, figures: {}, tables: [piecesTable(times, records)] };
  });
}

/** Starts a small process for each part that needs one, and ends them afterwards. */
async function withWorkers({ place, command: { file, args } }, use) {
  const workers = [];
  try {
    const inWorkers = {};
    for (const way of ['spawn', 'launch', 'script', 'messages', 'executor', 'files']) {
      const child = fork(worker, [way, place, file, ...args], { execArgv: smallHeap });
      workers.push(child);
      await nextMessage(child);
      inWorkers[way] = (ms) => {
        child.send(ms);
        return nextMessage(child);
      };
    }
    return await use(inWorkers);
  } finally {
    const living = workers.filter((child) => child.connected);
    await Promise.all(
      living.map((child) => {
        child.disconnect();
        return once(child, 'exit');
      }),
    );
  }
}

async function inTurn({ rounds, roundMs }, ways) {
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, new Samples()]));
  // The first round warms everything up.
  for (let round = -1; round < rounds; round++) {
    for (const [way, measure] of Object.entries(ways)) {
      const seen = await measure(roundMs / 2);
      if (round >= 0) times[way].addAll(seen.times);
    }
  }
  return times;
}

function piecesTable(times, records) {
  const { floor, spawn, launch, script, messages, executor, files, http, whole } = Object.fromEntries(
    Object.entries(times).map(([way, samples]) => [way, samples.at(0.5) ?? Number.NaN]),
  );
  const known = executor + files + records + http;
  const row = (what, added, sum) => [what, rounded(added), rounded(sum)];
  return {
    title: 'Parts of a call of the sh script, one caller, p50 in milliseconds',
    columns: ['part', 'adds', 'total'],
    rows: [
      row('the floor: `posix_spawn`, read and `waitpid` in C', floor, floor),
      row('the same by the launcher, requested by Node', launch - floor, launch),
      row('(the same by a small Node process itself)', spawn - floor, spawn),
      row('two log files with the output', script - launch, script),
      row('messages between service and executor, round trip', messages, script + messages),
      row('supervision of the run and its journal', executor - script - messages, executor),
      row('folder and parameter file created and removed, check for a result', files, executor + files),
      row(
        'its record buffered; it is written to the database after the response',
        records,
        executor + files + records,
      ),
      row('HTTP and the door: a call without a run', http, known),
      row('the rest: checks, queue, events, larger processes, waiting', whole - known, whole),
    ],
  };
}
