import { join } from 'node:path';

import { expect, it } from 'vitest';

import { openDatabase } from '../../src/storage/database.ts';
import { SqliteRetentionStore } from '../../src/storage/sqlite-retention-store.ts';
import { SqliteRunStore } from '../../src/storage/sqlite-run-store.ts';
import { percentile } from '../support/figures.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import { queuedRun, runEnding } from '../support/run-records.ts';

const manyRuns = 20_000;
const keptRuns = 17_000;
const untendedRuns = 500;
/** Each request takes a few milliseconds on an idle machine. */
const grossMs = 250;

/** A home with the records of many runs. The maintenance of some of them is still due. */
async function homeWithHistory(): Promise<string> {
  const home = await tempFolder();
  const database = openDatabase(join(home, 'hob.db'));
  const store = new SqliteRunStore(database);
  const retention = new SqliteRetentionStore(database);
  const first = Date.now() - manyRuns * 1000;
  store.atomically(
    () => {
      for (let at = 0; at < manyRuns; at++) {
        const queuedAt = new Date(first + at * 1000).toISOString();
        const run = queuedRun({ queuedAt });
        store.insert(run, `token of ${run.runId}`, { durable: false });
        const isFailed = at % 25 === 0;
        store.finish(
          run.runId,
          runEnding({
            state: isFailed ? 'failed' : 'succeeded',
            message: isFailed ? `文件 ${at} 无法读取` : `done: ${at}`,
            startedAt: queuedAt,
            endedAt: queuedAt,
          }),
        );
      }
      const tended = retention.untended(manyRuns - untendedRuns);
      retention.tend(tended.map((runId) => ({ runId, folderBytes: 4096 })));
    },
    { durable: false },
  );
  database.close();
  return home;
}

it('a long history is pruned to its limit while requests are answered', async () => {
  const settings = `history_runs = ${keptRuns}\nhistory_days = 0\nhistory_mib = 0\n`;
  const hob = await startHob({ home: await homeWithHistory(), settings });
  const paths = [
    '/api/health',
    '/api/runs',
    '/api/runs?state=failed',
    `/api/runs?q=${encodeURIComponent('无法读取')}`,
    `/api/runs?q=${encodeURIComponent('done: 19999')}`,
    '/api/runs?q=no%20such%20text&state=failed',
    '/api/stats?days=400',
    '/api/outcomes',
  ];
  const times = new Map(paths.map((path): [string, number[]] => [path, []]));
  const isWithinLimit = async () => {
    const { body } = await hob.get('/api/stats?days=1');
    return expect.objectContaining({ runs: keptRuns }).asymmetricMatch(body.history);
  };
  do {
    for (const path of paths) {
      const began = performance.now();
      const { status } = await hob.get(path);
      times.get(path)?.push(performance.now() - began);
      expect(status).toBe(200);
    }
  } while (!(await isWithinLimit()));
  for (const [path, seen] of times) expect(percentile(seen, 0.5), path).toBeLessThan(grossMs);

  const newest = await hob.get('/api/runs?limit=1');
  expect(newest.body.items).toMatchObject([{ result: { msg: '完成' } }]);
  const rare = await hob.get(`/api/runs?q=${encodeURIComponent('done: 19999')}`);
  expect(rare.body.items).toHaveLength(1);
  const removed = await hob.get(`/api/runs?q=${encodeURIComponent('done: 2999')}`);
  expect(removed.body.items).toEqual([]);
  const stats = await hob.get('/api/stats?days=3');
  expect(stats.body.all).toMatchObject({ runs: manyRuns, failed: manyRuns / 25 });
});
