import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { writeScript } from './performance/programs.mjs';
import { scriptId, settle } from './support/homes.mjs';
import { rounded, Samples } from './support/samples.mjs';
import { fillFolders } from './support/seed-home.mjs';
import { startService } from './support/service.mjs';

const mostRemoved = 30_000;
const folders = 10_000;
const idleMs = 10_000;
const emptyScript = {
  id: scriptId(999),
  name: 'empty',
  language: 'bash',
  entry: 'main.sh',
  text: 'exit 0\n',
};

/** Starts a service whose history exceeds its limit, and sends requests while the service removes runs. */
export async function measure({ runs, homes }) {
  const home = await homes.withHistory(runs);
  const kept = runs - Math.min(mostRemoved, Math.floor(runs / 10));
  const oldFolders = fillFolders(home, Math.min(folders, runs - kept));
  writeScript(join(home, 'scripts'), emptyScript);
  settle();
  const sizeBefore = databaseMib(home);
  const service = await startService(home, `history_runs = ${kept}\nhistory_days = 0\nhistory_mib = 0\n`);
  try {
    const watcher = service.caller();
    const began = performance.now();
    const { history: before } = await watcher.json('/api/stats?days=1');
    let largestMib = 0;
    let removed = 0;
    const busy = await ask(service, async () => {
      const { history: now } = await watcher.json('/api/stats?days=1');
      largestMib = Math.max(largestMib, service.residentMib());
      removed = before.runs - now.runs;
      return now.runs <= kept;
    });
    const seconds = (performance.now() - began) / 1000;
    const end = performance.now() + idleMs;
    const idle = await ask(service, async () => performance.now() > end);
    const left = await watcher.json('/api/stats?days=1');
    return [
      {
        title: `Requests while ${rounded(removed / 1000)} thousand runs are removed, and afterwards, in milliseconds`,
        columns: ['request', 'meanwhile: p50', 'p99', 'longest', 'afterwards: p50', 'p99', 'longest'],
        rows: Object.keys(busy).map((what) => [what, ...described(busy[what]), ...described(idle[what])]),
      },
      {
        title: 'The removal',
        columns: ['figure', 'measured'],
        rows: [
          [`runs on record afterwards; the limit is ${kept.toLocaleString('en')}`, left.history.runs],
          [
            `folders afterwards, of ${oldFolders.length.toLocaleString('en')} folders of removed runs`,
            oldFolders.filter((folder) => existsSync(folder)).length,
          ],
          ['runs removed per second, besides the requests', rounded(removed / seconds)],
          ['maximum memory of the service, MiB', rounded(largestMib)],
          ['database before, MiB', rounded(sizeBefore)],
          ['database afterwards, MiB', rounded(databaseMib(home))],
        ],
      },
    ];
  } finally {
    await service.stop();
  }
}

function described(samples) {
  return [0.5, 0.99, 1].map((part) => rounded(samples.at(part)));
}

/** Sends each request repeatedly on its own connection, with short pauses, until `isOver` returns true. */
async function ask(service, isOver) {
  const seen = {
    '`/api/health`': new Samples(),
    'first page': new Samples(),
    'a synchronous run of an empty bash script': new Samples(),
  };
  const questions = [
    ['/api/health'],
    ['/api/runs'],
    ['/api/execute', { script_id: emptyScript.id, sync: true }],
  ];
  let over = false;
  const asking = questions.map(async (question, index) => {
    const caller = service.caller();
    const samples = Object.values(seen)[index];
    while (!over) {
      samples.add(await caller.timed(...question));
      await pause(5);
    }
    caller.close();
  });
  while (!over) {
    await pause(200);
    over = await isOver();
  }
  await Promise.all(asking);
  return seen;
}

function databaseMib(home) {
  return statSync(join(home, 'hob.db')).size / 2 ** 20;
}
