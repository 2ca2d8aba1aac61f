import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { writeFloodScript } from './console/flood-script.mjs';
import { openWatchedPage } from './console/watched-page.mjs';
import { rounded } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const floods = [
  {
    id: '7d000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
    name: 'plain',
    written: 100_000,
    linesPerSecond: 2000,
    isRainbow: false,
  },
  {
    id: '7d000001-8f43-4b0e-9d0e-3f2d6a1f7c11',
    name: 'every character coloured',
    written: 10_000,
    linesPerSecond: 1000,
    isRainbow: true,
  },
];
const followed = 'following the end';
/** A person who watches notices a longer task as a stutter. */
const mostFollowedMs = 200;
/** A person who has just clicked still accepts this delay on a busy machine. */
const mostTaskMs = 500;

/** Measures how long tasks block a page with very many lines while more lines arrive and a user scrolls and searches. */
export async function measure({ quick, say }) {
  const seconds = quick ? 3 : 10;
  const home = mkdtempSync(join(tmpdir(), 'hob-bench-console-'));
  const gate = join(home, 'gate');
  mkdirSync(join(home, 'scripts'));
  for (const flood of floods) writeFloodScript(join(home, 'scripts', flood.id), { ...flood, seconds, gate });
  const service = await startService(home, '');
  try {
    const watched = [];
    for (const flood of floods) watched.push(await watchFlood(service, flood, { seconds, gate, say }));
    const claims = watched.flatMap(claimsOf);
    return {
      tables: watched.flatMap((each) => tablesOf(each, seconds)),
      claims,
      failed: claims.filter(({ isMet }) => !isMet).map(({ what }) => what),
    };
  } finally {
    await service.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function watchFlood(service, flood, { seconds, gate, say }) {
  const caller = service.caller();
  const phases = [];
  let page;
  try {
    const { run_id } = await caller.json('/api/execute', { script_id: flood.id });
    page = await openWatchedPage();
    const phase = async (what, work) => {
      say(`${flood.name}: ${what}`);
      const began = performance.now();
      await work();
      phases.push({ what, ms: performance.now() - began, ...(await page.takeTasks()) });
    };
    await page.untilWritten(gate);
    await phase(`open the page: ${flood.written.toLocaleString('en')} lines`, async () => {
      await page.open(`${service.url}/runs/${run_id}`);
      await page.untilLines(flood.written);
    });
    page.letGo(gate);
    await phase(followed, () => page.wait(seconds * 300));
    await phase('scroll up and down', () => page.scroll(seconds * 250));
    await phase('search and go through the matches', () => page.search('line 99', seconds * 250));
    let lagMs;
    await phase('jump to the end, until the last line is shown', async () => {
      lagMs = await page.untilLast();
    });
    return { flood, phases, lagMs, ...(await page.memory()) };
  } finally {
    await page?.close();
    caller.close();
  }
}

function tablesOf({ flood, phases, lagMs, heapBytes, residentBytes }, seconds) {
  const [written, pace] = [flood.written, flood.linesPerSecond].map((count) => count.toLocaleString('en'));
  return [
    {
      title: `The page of a run with ${written} lines, ${flood.name}, and ${pace} more per second for ${seconds} s: tasks that block the page for more than 50 ms`,
      columns: ['phase', 'duration, ms', 'long tasks', 'longest, ms', 'total, ms'],
      rows: phases.map(({ what, ms, count, longestMs, totalMs }) => [
        what,
        rounded(ms),
        count,
        rounded(longestMs),
        rounded(totalMs),
      ]),
    },
    {
      title: `At the end, ${flood.name}`,
      columns: ['figure', 'measured'],
      rows: [
        ['delay until the last line is shown, ms', rounded(lagMs)],
        ['heap of the page, MB', rounded(heapBytes / 1e6)],
        ['memory of its process, MB', rounded(residentBytes / 1e6)],
      ],
    },
  ];
}

function claimsOf({ flood, phases }) {
  const claim = (when, atMost, among) => {
    const longestMs = Math.max(...among.map((each) => each.longestMs));
    return {
      what: `longest task ${when}, ${flood.name}, ms`,
      bound: { atMost },
      measured: rounded(longestMs),
      isMet: longestMs <= atMost,
    };
  };
  return [
    claim(
      `while ${followed}`,
      mostFollowedMs,
      phases.filter(({ what }) => what === followed),
    ),
    claim('at any time', mostTaskMs, phases),
  ];
}
