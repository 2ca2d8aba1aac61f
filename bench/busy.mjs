import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { writeScript } from './performance/programs.mjs';
import { idOf } from './performance/scene.mjs';
import { ratio, rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const followMany = fileURLToPath(new URL('../test/support/follow-many.mjs', import.meta.url));
const betweenPollsMs = 20;
const idlePolls = 300;
const whole = { floodMb: 2000, followedMb: 20, followers: 200, watchedMb: 200, silent: 100, starts: 10 };
/** Small values for a quick check that the scenario works. */
const few = { floodMb: 50, followedMb: 2, followers: 20, watchedMb: 10, silent: 10, starts: 2 };
const [floodId, followedId, watchedId] = [0, 1, 2].map(idOf);

/** Measures response times under load, and the start of a service after a kill. */
export async function measure({ quick, say }) {
  const extent = quick ? few : whole;
  const load = loadavg()[0];
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-busy-'));
  const home = join(folder, 'home');
  const gate = join(folder, 'gate');
  writeScripts(join(home, 'scripts'), { ...extent, gate });
  let service = await startService(home, 'output_log_mib = 256\n');
  try {
    say('health of an idle service');
    const idle = await pollHealth(service, async () => {
      await pause(idlePolls * betweenPollsMs);
    });
    say('two floods');
    const flood = await measureFloods(service, extent);
    say('many followers');
    const followed = await measureFollowers(service, { ...extent, gate });
    say('followers that never read');
    const silent = await measureSilent(service, extent);
    const starts = { stopped: new Samples(), killed: new Samples() };
    for (let at = 0; at < extent.starts; at++) {
      say(`start-up, ${at + 1} of ${extent.starts}`);
      for (const [how, samples] of Object.entries(starts)) {
        await (how === 'killed' ? service.kill() : service.stop());
        service = await startService(home, 'output_log_mib = 256\n');
        samples.add(service.startMs);
      }
    }
    return {
      tables: tablesOf({ idle, flood, followed, silent, starts, load }, extent),
      claims: claimsOf({ flood, followed, silent, starts }),
    };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function writeScripts(scripts, { floodMb, followedMb, watchedMb, gate }) {
  mkdirSync(scripts, { recursive: true });
  const write = (megabytes) => `head -c ${megabytes * 1e6} /dev/zero`;
  const texts = {
    flood: [floodId, `${write(floodMb / 2)} & ${write(floodMb / 2)} >&2 & wait`],
    followed: [
      followedId,
      `${write(followedMb / 2)}\nuntil [ -e "${gate}" ]; do sleep 0.05; done\n${write(followedMb / 2)}`,
    ],
    watched: [watchedId, write(watchedMb)],
  };
  for (const [name, [id, text]] of Object.entries(texts))
    writeScript(scripts, { id, name, language: 'bash', entry: 'main.sh', text: `${text}\n` });
}

/** Requests the health of the service periodically until the given work is done. */
async function pollHealth(service, doIt) {
  const caller = service.caller();
  const samples = new Samples();
  let isOver = false;
  const doing = doIt().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    samples.add(await caller.timed('/api/health'));
    await pause(betweenPollsMs);
  }
  caller.close();
  return { health: samples, seen: await doing };
}

async function startRun(caller, id) {
  return (await caller.json('/api/execute', { script_id: id })).run_id;
}

async function endOf(caller, runId) {
  for (;;) {
    const run = await caller.json(`/api/runs/${runId}`);
    if (run.ended_at !== null) return run;
    await pause(betweenPollsMs);
  }
}

async function measureFloods(service, { floodMb }) {
  const caller = service.caller();
  const { health, seen } = await pollHealth(service, async () => {
    const began = performance.now();
    const runs = [await startRun(caller, floodId), await startRun(caller, floodId)];
    for (const run of runs) await endOf(caller, run);
    return { mbPerSecond: (2 * floodMb) / ((performance.now() - began) / 1000) };
  });
  caller.close();
  return { health, ...seen };
}

async function measureFollowers(service, { followedMb, followers, gate }) {
  const caller = service.caller();
  const runId = await startRun(caller, followedId);
  const { health, seen } = await pollHealth(service, async () => {
    const began = performance.now();
    const url = `${service.url}/api/runs/${runId}/stdout?follow`;
    const child = spawn(process.execPath, [followMany, url, String(followers)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    writeFileSync(gate, '');
    const answers = Object.values(JSON.parse((await lines.next()).value));
    if (answers.length !== 1) throw new Error('the followers received different output');
    return { mbPerSecond: (followers * followedMb) / ((performance.now() - began) / 1000) };
  });
  await endOf(caller, runId);
  caller.close();
  return { health, ...seen };
}

/** Alternates between both cases, so that disturbances of the machine affect both. */
async function measureSilent(service, { silent }) {
  const caller = service.caller();
  const [alone, watched] = [new Samples(), new Samples()];
  for (let round = 0; round < 3; round++) {
    alone.add((await endOf(caller, await startRun(caller, watchedId))).duration_ms);
    const runId = await startRun(caller, watchedId);
    const stalled = await Promise.all(
      Array.from({ length: silent }, () => openAndStall(`${service.url}/api/runs/${runId}/stdout?follow`)),
    );
    watched.add((await endOf(caller, runId)).duration_ms);
    for (const each of stalled) each.destroy();
  }
  caller.close();
  return { alone, watched };
}

function openAndStall(url) {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false }, () => resolve(asked));
    asked.on('error', reject);
  });
}

function tablesOf({ idle, flood, followed, silent, starts, load }, { floodMb, followers, silent: count }) {
  const row = (what, { health, mbPerSecond }) => [
    what,
    ...[0.5, 0.99, 1].map((part) => rounded(health.at(part))),
    ratio(health.at(0.5), idle.health.at(0.5)),
    mbPerSecond === undefined ? null : rounded(mbPerSecond),
  ];
  const times = (samples) => [rounded(samples.at(0.5)), rounded(samples.at(1))];
  return [
    {
      title: `\`GET /api/health\` every 20 ms, in milliseconds (load average at the start: ${rounded(load)})`,
      columns: ['load', 'p50', 'p99', 'longest', 'p50, relative to idle', 'MB/s'],
      rows: [
        row('idle', idle),
        row(`two runs write ${floodMb.toLocaleString('en')} MB each`, flood),
        row(`${followers} clients follow the output of one run`, followed),
      ],
    },
    {
      title: 'Duration of a run with much output, in milliseconds',
      columns: ['followers', 'p50', 'longest'],
      rows: [
        ['none', ...times(silent.alone)],
        [`${count} that never read`, ...times(silent.watched)],
        ['ratio', ratio(silent.watched.at(0.5), silent.alone.at(0.5)), null],
      ],
    },
    {
      title: 'From the start of the process until the service listens, in milliseconds',
      columns: ['the previous service', 'p50', 'longest'],
      rows: [
        ['was stopped', ...times(starts.stopped)],
        ['was killed', ...times(starts.killed)],
      ],
    },
  ];
}

function claimsOf({ flood, followed, silent, starts }) {
  const claim = (what, measured, atMost) => ({
    what,
    bound: { atMost },
    measured: rounded(measured),
    isMet: measured <= atMost,
  });
  return [
    claim('health during two floods: p50, ms', flood.health.at(0.5), 20),
    claim('health during two floods: p99, ms', flood.health.at(0.99), 100),
    claim('health during two floods: longest, ms', flood.health.at(1), 500),
    claim('health with many followers: p50, ms', followed.health.at(0.5), 50),
    claim('health with many followers: p99, ms', followed.health.at(0.99), 500),
    claim(
      'duration of a run with followers that never read, relative to without',
      silent.watched.at(0.5) / silent.alone.at(0.5),
      3,
    ),
    claim(
      'start after a kill: p50, relative to a start after a stop',
      starts.killed.at(0.5) / starts.stopped.at(0.5),
      1.5,
    ),
  ];
}
