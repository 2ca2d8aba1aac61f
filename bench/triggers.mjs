import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { smallProgram, writeScript } from './performance/programs.mjs';
import { scriptId } from './support/homes.mjs';
import { ratio, rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const count = 10_000;
const whole = { idleSeconds: 20, starts: 3, lists: 20, slots: 60, changes: 5 };
/** Small values for a quick check that the scenario works. */
const few = { idleSeconds: 5, starts: 1, lists: 3, slots: 5, changes: 1 };
const [script, edited] = [scriptId(1), scriptId(2)];
const settings = '';
const settleMs = 10_000;
const startedMs = 40_000;

/** Measures a service with many schedules, none of which is due, and how late one of every second is. */
export async function measure({ quick, say }) {
  const extent = quick ? few : whole;
  const load = loadavg()[0];
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-triggers-'));
  const homes = [0, count].map((schedules) => makeHome(join(folder, String(schedules)), schedules));
  let services = [];
  try {
    const starts = homes.map(() => new Samples());
    for (let at = 0; at < extent.starts; at++) {
      say(`start-up, ${at + 1} of ${extent.starts}`);
      await Promise.all(services.map((service) => service.stop()));
      services = [];
      for (const [index, home] of homes.entries()) {
        const service = await startService(home, settings);
        starts[index].add(service.startMs);
        await listed(service, [0, count][index]);
        services.push(service);
      }
    }
    // Up to half a minute after its start, V8 collects once what the start has left.
    await pause(startedMs);
    const memory = services.map((service) => service.residentMib());
    say(`idle for ${extent.idleSeconds} s`);
    const idle = await measureIdle(services, extent);
    say('lists');
    const lists = [];
    for (const service of services) lists.push(await measureList(service, extent));
    say('slots of a schedule of every second');
    const late = [];
    for (const service of services) late.push(await measureLateness(service, extent));
    say('changes');
    const changes = await measureChanges(services[1], homes[1], extent);
    const later = services.map((service) => service.residentMib());
    return {
      tables: tablesOf({ starts, memory, later, idle, lists, changes, late, load }, extent),
      claims: claimsOf({ idle, late }),
    };
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function makeHome(home, schedules) {
  const scripts = join(home, 'scripts');
  mkdirSync(scripts, { recursive: true });
  for (const [id, name] of [
    [script, 'small'],
    [edited, 'edited'],
  ])
    writeScript(scripts, { id, name, ...smallProgram });
  const entries = Array.from({ length: schedules }, (_, at) => entry(at));
  writeFileSync(join(home, 'triggers.toml'), entries.join('\n'));
  return home;
}

/** Expressions for many hours of the day, but not for the present ones. */
function entry(at) {
  const hour = (new Date().getHours() + 3 + (at % 18)) % 24;
  const minute = at % 60;
  const days = ['* * *', '1 * *', '* * 1-5', '* 1-6 *', '*/2 * *'][at % 5];
  const zone = at % 3 === 0 ? 'timezone = "Europe/Berlin"\n' : '';
  return `[[trigger]]\nid = "schedule-${at}"\nscript = "small"\nkind = "schedule"\ncron = "${minute} ${hour} ${days}"\n${zone}`;
}

async function listed(service, schedules) {
  const caller = service.caller();
  for (;;) {
    const { items } = await caller.json('/api/triggers');
    if (items.length === schedules && items.every(({ state }) => state === 'on')) break;
    await pause(100);
  }
  caller.close();
}

async function measureIdle(services, { idleSeconds }) {
  const before = services.map(({ pid }) => cpuMs(pid));
  await pause(idleSeconds * 1000);
  return services.map(({ pid }, index) => (cpuMs(pid) - before[index]) / (idleSeconds * 10));
}

/** Processor time of a process. A tick is 10 ms. */
function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

async function measureList(service, { lists }) {
  const caller = service.caller();
  const samples = new Samples();
  await caller.text('/api/triggers');
  for (let at = 0; at < lists; at++) samples.add(await caller.timed('/api/triggers'));
  caller.close();
  return samples;
}

/** How long other requests wait while the triggers are read again, and how much processor time that takes. */
async function measureChanges(service, home, { changes }) {
  const file = join(home, 'triggers.toml');
  const manifest = join(home, 'scripts', 'edited', 'script.toml');
  const replace = (path, text) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const kinds = {
    'the file is touched': async () => replace(file, readFileSync(file, 'utf8')),
    'the file is edited': async (at) =>
      replace(file, `${readFileSync(file, 'utf8')}\n# ${at}\n${entry(20_000 + at)}`),
    'a trigger is stored over HTTP': (at) => send(service, 'PUT', `/api/triggers/stored-${at}`, daily),
    'a trigger is switched off over HTTP': (at) =>
      send(service, 'PATCH', `/api/triggers/stored-${at}`, { enabled: false }),
    'a script that no trigger starts is edited': async (at) =>
      replace(manifest, readFileSync(manifest, 'utf8').replace(/^name = .*$/m, `name = "edited ${at}"`)),
  };
  const rows = [];
  for (const [what, change] of Object.entries(kinds)) {
    const [longest, used] = [new Samples(), new Samples()];
    for (let at = 0; at < changes; at++) {
      const before = cpuMs(service.pid);
      const changing = change(at);
      longest.add(await longestHealth(service, 3000));
      await changing;
      used.add(cpuMs(service.pid) - before);
    }
    rows.push([what, rounded(longest.at(0.5)), rounded(longest.at(1)), rounded(used.at(0.5))]);
  }
  return rows;
}

const daily = { script: 'small', kind: 'schedule', cron: '30 2 * * *', timezone: 'Europe/Berlin' };

async function send(service, method, path, body) {
  const answer = await fetch(service.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
}

/** The triggers are read again within about two seconds after a change. */
async function longestHealth(service, forMs) {
  const caller = service.caller();
  const samples = new Samples();
  for (const end = performance.now() + forMs; performance.now() < end; await pause(5))
    samples.add(await caller.timed('/api/health'));
  caller.close();
  return samples.at(1);
}

async function measureLateness(service, { slots }) {
  const caller = service.caller();
  const id = 'each-second';
  await send(service, 'PUT', `/api/triggers/${id}`, {
    script: 'small',
    kind: 'schedule',
    every: '1s',
    overlap: 'allow',
  });
  // The change itself occupies the service for a moment.
  await pause(settleMs + (slots + 2) * 1000);
  // Before the trigger is switched off: a slot that comes during that change is late.
  const { items } = await caller.json(`/api/triggers/${id}/slots?limit=${slots}`);
  await send(service, 'PATCH', `/api/triggers/${id}`, { enabled: false });
  await pause(500);
  const [queued, started] = [new Samples(), new Samples()];
  for (const { due_at, run_id } of items) {
    if (run_id === null) throw new Error(`a slot did not fire: ${JSON.stringify(items)}`);
    const run = await caller.json(`/api/runs/${run_id}`);
    queued.add(Date.parse(run.queued_at) - Date.parse(due_at));
    started.add(Date.parse(run.started_at) - Date.parse(due_at));
  }
  caller.close();
  if (started.count < slots) throw new Error(`only ${started.count} of ${slots} slots fired`);
  return { queued, started };
}

function tablesOf({ starts, memory, later, idle, lists, changes, late, load }, { idleSeconds, slots }) {
  const many = `${count.toLocaleString('en')} schedules`;
  const columns = ['', 'no schedules', many, 'ratio'];
  const row = (what, [none, all]) => [what, rounded(none), rounded(all), ratio(all, none)];
  return [
    {
      title: `A service with schedules that are not due (load average at the start: ${rounded(load)})`,
      columns,
      rows: [
        row(
          'until the service listens, ms, p50',
          starts.map((each) => each.at(0.5)),
        ),
        row('memory after the start, MiB', memory),
        row('memory after all changes, MiB', later),
        row(`processor while idle for ${idleSeconds} s, % of a core`, idle),
        row(
          '`GET /api/triggers`, ms, p50',
          lists.map((each) => each.at(0.5)),
        ),
      ],
    },
    {
      title: `A change in a service with ${many}, in milliseconds`,
      columns: ['change', 'longest `GET /api/health` in 3 s: p50', 'longest', 'processor time in 3 s: p50'],
      rows: changes,
    },
    {
      title: `Lateness of ${slots} slots of a schedule of every second, in milliseconds`,
      columns: ['', 'p50', 'p99', 'longest'],
      rows: late.flatMap(({ queued, started }, index) =>
        [
          ['until the run is on record', queued],
          ['until its script starts', started],
        ].map(([what, samples]) => [
          `${what}, ${['no other schedules', many][index]}`,
          ...[0.5, 0.99, 1].map((part) => rounded(samples.at(part))),
        ]),
      ),
    },
  ];
}

function claimsOf({ idle, late }) {
  const claim = (what, measured, atMost) => ({
    what,
    bound: { atMost },
    measured: rounded(measured),
    isMet: measured <= atMost,
  });
  return [
    claim(
      `processor of an idle service with ${count.toLocaleString('en')} schedules, % of a core`,
      idle[1],
      1,
    ),
    claim(
      `lateness of a slot with ${count.toLocaleString('en')} schedules: p99, ms`,
      late[1].started.at(0.99),
      100,
    ),
  ];
}
