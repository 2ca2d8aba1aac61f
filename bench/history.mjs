import { scriptId } from './support/fill-history.mjs';
import { ratio, rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';
import { measureWrites } from './support/writes.mjs';

const unlimited = 'history_runs = 0\nhistory_days = 0\nhistory_mib = 0\n';
const few = 1000;
const warmUps = 20;
const repetitions = 200;
const starts = 3;
const mixedRequests = 2000;
const pagedRuns = 100_000;
const pageRuns = 500;

/**
 * Asks a service with many runs on record and one with few the same things, in turn: what disturbs the machine disturbs both. The
 * claim is that many cost about what few cost.
 */
export async function measure({ runs, homes }) {
  const histories = [few, runs];
  const startTimes = await measureStarts(histories.map((count) => homes.withHistory(count)));
  const services = [];
  try {
    for (const count of histories) services.push(await startService(homes.withHistory(count), unlimited));
    const memory = [memoryRow('after the start', services)];
    const sides = [];
    for (const [index, service] of services.entries()) sides.push(await toSide(service, histories[index]));
    const latency = await measureLatency(sides);
    for (const { caller, requests } of sides)
      for (let at = 0; at < mixedRequests; at++) await caller.text(requests[at % requests.length].path);
    memory.push(
      memoryRow(`after ${mixedRequests.toLocaleString('en')} more requests of all kinds`, services),
    );
    for (const often of ['', ' once more']) {
      for (const side of sides) await pageThrough(side.caller, pagedRuns / pageRuns);
      const paged = `${pagedRuns.toLocaleString('en')} runs in pages of ${pageRuns}`;
      memory.push(memoryRow(`after ${paged}${often}`, services));
    }
    const stalls = await measureStalls(services[1]);
    await Promise.all(services.map((service) => service.stop()));
    const writes = measureWrites(histories.map((count) => homes.withHistory(count)));
    const sizes = histories.map((count) => `${count.toLocaleString('en')} runs`);
    return [
      {
        title: 'Requests, in milliseconds: the median, and what one in a hundred exceeds',
        columns: ['request', ...sizes.flatMap((size) => [size, '1 in 100']), 'ratio of the medians'],
        rows: latency,
      },
      {
        title: 'What has to look through many runs, and whether others wait for it: milliseconds',
        columns: ['request', 'takes', '`/api/health` meanwhile: median', '1 in 100', 'longest'],
        rows: stalls,
      },
      {
        title: 'Writing down a run: microseconds of the main thread',
        columns: ['write', ...sizes.flatMap((size) => [size, '1 in 100']), 'ratio of the medians'],
        rows: writes,
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
  return [`until it listens, the median of ${starts}`, rounded(small), rounded(large), ratio(large, small)];
}

/** A service, and what is asked of it. */
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
    ['page 1,000 (of few: page 10)', `/api/runs?cursor=${q(next)}`],
    ['one script', `/api/runs?script=${scriptId(7)}`],
    ['one state', '/api/runs?state=failed'],
    ['a script and a state, 10 runs', `/api/runs?script=${scriptId(5)}&state=failed&limit=10`],
    ['an end cause, 10 runs', '/api/runs?end_cause=timeout&limit=10'],
    ['an origin', '/api/runs?origin=cli'],
    ['ten days', `/api/runs?since=${dayAgo(20)}&until=${dayAgo(10)}`],
    ['a text that one run has', `/api/runs?q=${q('done: 777 pictures')}`],
    ['a text that most have', `/api/runs?q=${q('pictures were')}`],
    ['a Chinese text', `/api/runs?q=${q('无法读取')}`],
    ['a text that none has', `/api/runs?q=${q('no such text')}`],
    ['a text and a state', `/api/runs?state=failed&q=${q('无法读取')}`],
    ['one run', `/api/runs/${items[0].run_id}`],
    ['its tree', `/api/runs/${items[0].run_id}/tree`],
    ['30 days of statistics', '/api/stats?days=30'],
    ['400 days of statistics', '/api/stats?days=400'],
  ].map(([what, path]) => ({ what, path }));
  return { caller, requests };
}

/** So many pages from the newest on; from the start again where there are no more. */
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
        const ms = await caller.timed(requests[index].path);
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

/** Asks for what there is not, where only looking helps, and for something simple all the while. */
async function measureStalls(service) {
  const rows = [];
  const [slow, quick] = [service.caller(), service.caller()];
  for (const [what, path] of [
    ['two letters that none has', '/api/runs?q=zz'],
    [
      'a common text, and a state that none with it has',
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
