import { join } from 'node:path';

import { seedHome } from '../../bench/support/seed-home.mjs';
import { startService } from '../../bench/support/service.mjs';
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
  await seedHome(home, pastRuns());
  writeScripts(join(home, 'scripts'));
  const examples = JSON.stringify(join(root, 'examples'));
  const service = await startService(home, `scripts = [${examples}]\nmax_runs = 16\non_stop = "stop"\n`);
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
    close: service.stop,
  };
}

/** Runs of four weeks, oldest first: the same each time except for their ids and times. */
function pastRuns() {
  const runs = [];
  for (let ago = 27; ago >= 0; ago--)
    for (const { id, name, aDay, tookMs, failsEvery } of past) {
      const times = Math.max(1, Math.round(aDay * (0.6 + ((ago * 7) % 5) / 5)));
      for (let number = 0; number < times; number++) {
        const isFailure = (ago * 3 + number) % failsEvery === failsEvery - 1;
        runs.push({
          scriptId: id,
          scriptName: name,
          atMs: Date.now() - ago * dayMs - (number + 1) * 2_400_000,
          tookMs: Math.round(tookMs * (0.7 + ((ago + number * 3) % 7) / 10)),
          isFailure,
          message: isFailure ? 'The disk in the cellar does not answer' : 'Done',
        });
      }
    }
  return runs.sort((one, other) => one.atMs - other.atMs);
}
