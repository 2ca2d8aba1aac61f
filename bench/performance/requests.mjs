import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { fillModels } from '../support/fill-models.mjs';
import { scriptId } from '../support/homes.mjs';
import { rounded, Samples } from '../support/samples.mjs';
import { startService } from '../support/service.mjs';
import { targetOf } from './load.mjs';
import { blockedText, Watch } from './watch.mjs';

const models = 40;
const historyRuns = 100_000;
const unlimited = 'history_runs = 0\nhistory_days = 0\nhistory_mib = 0\n';

/** Measures requests for the path of a model. */
export async function measureModels({ folder, load, extent, say }) {
  say('models');
  const place = mkdtempSync(join(folder, 'models-'));
  const home = join(place, 'home');
  Object.assign(process.env, fillModels(place, home, models));
  const service = await startService(home, '');
  const asked = {
    "a model in Hob's own folder": '/api/model/path?repo_id=own/model-7',
    'a model in the Hugging Face cache': '/api/model/path?repo_id=hf/model-7',
    'a model in the ModelScope cache': '/api/model/path?repo_id=ms/model-7',
    'the health of the service, for comparison': '/api/health',
  };
  const { rows, blockedMs } = await ask(service, asked, { load, calls: extent.requests });
  const worst = Math.max(...rows.slice(0, -1).map(([, median]) => median));
  return {
    blockedMs,
    figures: { 'model path: p50': worst },
    tables: [
      {
        title: `Finding a model among ${models} in each place, in milliseconds (longest block of the event loop: ${blockedText(blockedMs)})`,
        columns: ['request', 'p50', 'p99'],
        rows: rows.map(([what, ...times]) => [what, ...times.map(rounded)]),
      },
    ],
  };
}

/** Measures how long it takes to list and search a long history. */
export async function measureHistory({ homes, load, extent, say }) {
  say('history');
  const runs = Math.round(historyRuns * extent.share);
  const service = await startService(await homes.withHistory(runs), unlimited);
  const asked = {
    'the newest 50 runs': '/api/runs',
    'runs of one script': `/api/runs?script=${scriptId(7)}`,
    'runs in one state': '/api/runs?state=failed',
    'runs of one script in one state': `/api/runs?script=${scriptId(5)}&state=failed`,
    'runs with a text that few runs have': `/api/runs?q=${encodeURIComponent('done: 777 pictures')}`,
    'runs with a text that most runs have': `/api/runs?q=${encodeURIComponent('pictures were')}`,
    '30 days of statistics': '/api/stats?days=30',
  };
  const { rows, blockedMs } = await ask(service, asked, { load, calls: extent.requests / 10 });
  return {
    blockedMs,
    figures: {},
    tables: [
      {
        title: `A history of ${runs.toLocaleString('en')} runs, in milliseconds (longest block of the event loop: ${blockedText(blockedMs)})`,
        columns: ['request', 'p50', 'p99'],
        rows: rows.map(([what, ...times]) => [what, ...times.map(rounded)]),
      },
    ],
  };
}

/** Sends these requests one after the other, then stops the service. */
async function ask(service, paths, { load, calls }) {
  const watch = new Watch(service);
  try {
    await watch.begin();
    const rows = [];
    for (const [what, path] of Object.entries(paths)) {
      const target = targetOf(service.url + path, { expected: '{' });
      const burst = () => load.burst({ target, callers: 1, warmUpMs: 100, calls });
      const { times } = await watch.during(burst);
      const samples = new Samples();
      samples.addAll(times);
      rows.push([what, samples.at(0.5), samples.at(0.99)]);
    }
    const { blockedMs } = await watch.end();
    return { rows, blockedMs };
  } finally {
    watch.close();
    await service.stop();
  }
}
