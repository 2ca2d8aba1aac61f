import { join } from 'node:path';

import { expect, it } from 'vitest';
import { tempFolder } from '../../test/support/hob.ts';
import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import { openDatabase } from './database.ts';
import { addRuns, openEndedRuns } from './run-transfer.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

const quickly = { durable: false };

it('brings the trigger and the agent of a run to another home, and accepts runs without them', async () => {
  const path = join(await tempFolder(), 'hob.db');
  const from = openDatabase(path);
  const store = new SqliteRunStore(from);
  const runs = [
    queuedRun({ origin: 'mcp', client: 'claude-code' }),
    queuedRun({ origin: 'schedule', triggerId: 'nightly' }),
  ];
  for (const run of runs) {
    store.insert(run, `token of ${run.runId}`, quickly);
    store.finish(run.runId, runEnding());
  }
  const ended = openEndedRuns(path);
  const rows = [...ended.rows()].map((row) => JSON.parse(JSON.stringify(row)));
  ended.close();
  from.close();

  const into = openDatabase(':memory:');
  const target = new SqliteRunStore(into);
  const { client: _client, trigger_id: _trigger, ...older } = rows[0];
  const olderRun = queuedRun();
  addRuns(target, [...rows, { ...older, run_id: olderRun.runId }]);
  const fieldsOf = (runId: string) => {
    const run = target.find(runId);
    return run === null ? null : [run.origin, run.triggerId, run.client];
  };
  expect([...runs, olderRun].map(({ runId }) => fieldsOf(runId))).toEqual([
    ['mcp', null, 'claude-code'],
    ['schedule', 'nightly', null],
    ['mcp', null, null],
  ]);
  into.close();
});
