import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { rounded } from '../support/samples.mjs';
import { programsFor } from './programs.mjs';
import { idOf, withHob } from './scene.mjs';

/** A process reports its CPU time in ticks of this length, on every Linux. */
const tickMs = 10;

/** Measures the CPU time of a synchronous call of the sh script, and counts the system calls and messages that it needs. */
export function measureSteps({ folder, load, extent, say }) {
  const { sh } = programsFor();
  return withHob(folder, [{ id: idOf(1), name: 'sh', ...sh }], '', async (hob) => {
    const pids = { service: hob.pid, executor: hob.executorPid() };
    const target = hob.runTarget(idOf(1));
    const burst = (calls) => load.burst({ target, callers: 1, warmUpMs: 0, calls });
    say('steps, warming up');
    await burst(extent.manyRuns / 2);
    say('steps, CPU time');
    const before = cpuMsOf(pids);
    await burst(extent.requests);
    const after = cpuMsOf(pids);
    const perCall = (name) => (after[name] - before[name]) / extent.requests;
    say('steps, system calls');
    const counts = hasStrace() ? await traced(pids, folder, extent.chains, burst) : null;
    const row = (name) => [
      name,
      ...[perCall(name), counts?.[name].systemCalls, counts?.[name].messages, counts?.[name].commits].map(
        rounded,
      ),
    ];
    return {
      blockedMs: null,
      figures: { 'steps: service': perCall('service'), 'steps: executor': perCall('executor') },
      tables: [
        {
          title: `Steps of a synchronous call of the sh script, one caller, after ${(extent.manyRuns / 2).toLocaleString('en')} calls`,
          columns: [
            '',
            'CPU time, ms',
            'system calls',
            'writes to the other process',
            'commits to the database',
          ],
          rows: [row('service'), row('executor')],
        },
      ],
    };
  });
}

/** The CPU time of each process so far, without that of its children. */
function cpuMsOf(pids) {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      return [name, tickMs * (Number(fields[11]) + Number(fields[12]))];
    }),
  );
}

function hasStrace() {
  return spawnSync('strace', ['-V']).status === 0;
}

/** The byte in the shared memory of the log of SQLite that a writer locks, once for each transaction. */
const writerLock = /\bfcntl\(\d+<[^>]*hob\.db-shm>, F_SETLK\w*, \{l_type=F_WRLCK, [^}]*l_start=120,/;

/**
 * Counts per call the system calls of all threads of both processes, also of threads that start meanwhile, without those of the
 * scripts.
 */
async function traced(pids, folder, calls, burst) {
  const tracers = Object.entries(pids).map(([name, pid]) => {
    const file = join(folder, `trace-${name}`);
    return {
      name,
      pid,
      file,
      threads: new Set(threadsOf(pid)),
      process: spawn('strace', ['-f', '-q', '-y', '-o', file, '-p', String(pid)], { stdio: 'ignore' }),
    };
  });
  // Each thread is traced from some moment on; the calls before that would not be counted.
  await wait(1000);
  await burst(calls);
  for (const { pid, threads, process } of tracers) {
    for (const thread of threadsOf(pid)) threads.add(thread);
    process.kill('SIGINT');
    await once(process, 'exit');
  }
  return Object.fromEntries(
    tracers.map(({ name, file, threads }) => {
      // The tracer follows the scripts, too. A call that is interrupted has a second line, which begins with `<...`.
      const isCall = (line) => threads.has(/^(\d+) +\w+\(/.exec(line)?.[1]);
      const lines = readFileSync(file, 'latin1').split('\n').filter(isCall);
      const perCall = (isCounted) => lines.filter(isCounted).length / calls;
      const isMessage = (line) => /\b(?:write|writev|sendmsg|sendto)\(\d+<(?:UNIX|socket)/.test(line);
      const isCommit = (line) => writerLock.test(line);
      return [
        name,
        { systemCalls: lines.length / calls, messages: perCall(isMessage), commits: perCall(isCommit) },
      ];
    }),
  );
}

function threadsOf(pid) {
  return readdirSync(`/proc/${pid}/task`);
}
