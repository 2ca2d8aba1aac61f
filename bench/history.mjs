import { join } from 'node:path';

import { smallProgram, writeScript } from './performance/programs.mjs';
import { scriptId } from './support/homes.mjs';
import { ratio, rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

const unlimited = 'history_runs = 0\nhistory_days = 0\nhistory_mib = 0\n';
const few = 1000;
const warmUps = 20;
const repetitions = 200;
const starts = 3;
const mixedRequests = 2000;
const pagedRuns = 100_000;
const pageRuns = 500;
const smallScript = scriptId(998);

/**
 * Sends the same requests in turn to a service with many runs on record and to one with few, so that disturbances of the machine affect
 * both. Both services should take about the same time.
 */
export async function measure({ runs, homes }) {
  const histories = [few, runs];
  const folders = [];
  for (const count of histories) folders.push(await homes.withHistory(count));
  for (const home of folders)
    writeScript(join(home, 'scripts'), { id: smallScript, name: 'small', ...smallProgram });
  const startTimes = await measureStarts(folders);
  const services = [];
  try {
    for (const home of folders) services.push(await startService(home, unlimited));
    const memory = [memoryRow('after the start', services)];
    const sides = [];
    for (const [index, service] of services.entries()) sides.push(await toSide(service, histories[index]));
    const latency = await measureLatency(sides);
    for (const { caller, requests } of sides)
      for (let at = 0; at < mixedRequests; at++) {
        const { path, body } = requests[at % requests.length];
        await caller.text(path, body);
      }
    memory.push(
      memoryRow(`after ${mixedRequests.toLocaleString('en')} more requests of all kinds`, services),
    );
    for (const often of ['', ' again']) {
      for (const side of sides) await pageThrough(side.caller, pagedRuns / pageRuns);
      const paged = `${pagedRuns.toLocaleString('en')} runs in pages of ${pageRuns}`;
      memory.push(memoryRow(`after ${paged}${often}`, services));
    }
    const stalls = await measureStalls(services[1]);
    const sizes = histories.map((count) => `${count.toLocaleString('en')} runs`);
    return [
      {
        title: 'Requests, in milliseconds',
        columns: ['request', ...sizes.flatMap((size) => [`${size}: p50`, 'p99']), 'ratio of p50'],
        rows: latency,
      },
      {
        title: 'Requests that scan many runs, and other requests meanwhile, in milliseconds',
        columns: ['request', 'duration', '`/api/health` meanwhile: p50', 'p99', 'longest'],
        rows: stalls,
      },
      { title: 'Memory of the service, in MiB', columns: ['when', ...sizes, 'ratio'], rows: memory },
      {
        title: 'Start of the service, in milliseconds',
        columns: ['', ...sizes, 'ratio'],
        rows: [startTimes],
      },
    ];
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function measureStarts(homes) {
  const times = homes.map(() => new Samples());
  for (let at = 0; at < starts; at++) {
    for (const [index, home] of homes.entries()) {
      const service = await startService(home, unlimited);
      times[index].add(service.startMs);
      await service.stop();
    }
  }
  const [small, large] = times.map((each) => each.at(0.5));
  return [`until the service listens, p50 of ${starts}`, rounded(small), rounded(large), ratio(large, small)];
}

/** A service and the requests for it. */
async function toSide(service, runs) {
  const caller = service.caller();
  const depth = Math.min(1000, runs / 100);
  const { next } = await pageThrough(caller, Math.ceil((depth * 50) / pageRuns));
  const { items } = await caller.json('/api/runs?origin=link&limit=1');
  const dayAgo = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
  const q = encodeURIComponent;
  const requests = [
    ['the floor: `/api/health`', '/api/health'],
    ['first page', '/api/runs'],
    ['page 1,000 (small history: page 10)', `/api/runs?cursor=${q(next)}`],
    ['one script', `/api/runs?script=${scriptId(7)}`],
    ['one state', '/api/runs?state=failed'],
    ['a script and a state, 10 runs', `/api/runs?script=${scriptId(5)}&state=failed&limit=10`],
    ['an end cause, 10 runs', '/api/runs?end_cause=timeout&limit=10'],
    ['an origin', '/api/runs?origin=cli'],
    ['ten days', `/api/runs?since=${dayAgo(20)}&until=${dayAgo(10)}`],
    ['a text that occurs in one run', `/api/runs?q=${q('done: 777 pictures')}`],
    ['a text that occurs in most runs', `/api/runs?q=${q('pictures were')}`],
    ['a Chinese text', `/api/runs?q=${q('无法读取')}`],
    ['a text that occurs in no run', `/api/runs?q=${q('no such text')}`],
    ['a text and a state', `/api/runs?state=failed&q=${q('无法读取')}`],
    ['one run', `/api/runs/${items[0].run_id}`],
    ['its tree', `/api/runs/${items[0].run_id}/tree`],
    ['30 days of statistics', '/api/stats?days=30'],
    ['400 days of statistics', '/api/stats?days=400'],
    ['a synchronous call of an sh script', '/api/execute', { script_id: smallScript, sync: true }],
  ].map(([what, path, body]) => ({ what, path, body }));
  return { caller, requests };
}

/** Reads the given number of pages from the newest on; starts over after the last page. */
async function pageThrough(caller, pages) {
  let page = { next: null };
  for (let at = 0; at < pages; at++) {
    const cursor = page.next === null ? '' : `&cursor=${encodeURIComponent(page.next)}`;
    page = await caller.json(`/api/runs?limit=${pageRuns}${cursor}`);
  }
  return page;
}

async function measureLatency(sides) {
  const rows = [];
  for (const [index, { what }] of sides[0].requests.entries()) {
    const times = sides.map(() => new Samples());
    for (let at = -warmUps; at < repetitions; at++) {
      for (const [side, { caller, requests }] of sides.entries()) {
        const { path, body } = requests[index];
        const ms = await caller.timed(path, body);
        if (at >= 0) times[side].add(ms);
      }
    }
    const [small, large] = times;
    rows.push(
      [what, ...times.flatMap((each) => [rounded(each.at(0.5)), rounded(each.at(0.99))])].concat(
        ratio(large.at(0.5), small.at(0.5)),
      ),
    );
  }
  return rows;
}

/** Sends requests that need a scan and find nothing, and simple requests at the same time. */
async function measureStalls(service) {
  const rows = [];
  const [slow, quick] = [service.caller(), service.caller()];
  for (const [what, path] of [
    ['two letters that occur in no run', '/api/runs?q=zz'],
    [
      'a common text, and a state that no run with it has',
      `/api/runs?state=failed&q=${encodeURIComponent('pictures were')}`,
    ],
  ]) {
    const health = new Samples();
    let isOver = false;
    const answer = slow.timed(path).finally(() => {
      isOver = true;
    });
    while (!isOver) health.add(await quick.timed('/api/health'));
    rows.push([what, rounded(await answer), ...[0.5, 0.99, 1].map((part) => rounded(health.at(part)))]);
  }
  return rows;
}

function memoryRow(when, services) {
  const [small, large] = services.map((service) => service.residentMib());
  return [when, rounded(small), rounded(large), ratio(large, small)];
}
