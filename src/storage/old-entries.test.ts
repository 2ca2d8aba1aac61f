import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import { openDatabase } from './database.ts';
import { importOldEntries } from './old-entries.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

const start = { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' };

/** A line as release 0.1.0 wrote it. */
function lineOf(record: ReturnType<typeof queuedRun>, tokenHash: unknown): string {
  const row = [
    record.runId,
    tokenHash,
    record.scriptId,
    record.scriptName,
    record.scriptVersion,
    record.origin,
    record.parentRunId,
    record.depth,
    Number(record.sync),
    'running',
    JSON.stringify(record.data),
    JSON.stringify(record.params),
    record.queuedAt,
    start.startedAt,
    start.executor,
  ];
  return `${JSON.stringify(row)}\n`;
}

it('imports each run of release 0.1.0 once, skips damaged lines, and removes the file', async () => {
  const path = join(await tempFolder(), 'entries.jsonl');
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const store = new SqliteRunStore(database);
  const [known, fresh, damaged] = [queuedRun(), queuedRun(), queuedRun()];
  store.insert(known, 'one', { durable: false, start });
  const lines = [lineOf(known, 'one'), lineOf(fresh, 'two'), lineOf(damaged, null), lineOf(damaged, {})];
  await writeFile(path, `{}\n["too","short"]\n${lines.join('')}["half a li`);
  importOldEntries(database, path);
  expect(store.unfinished()).toEqual([known, fresh].map((run) => ({ ...run, state: 'running', ...start })));
  expect(existsSync(path)).toBe(false);
  importOldEntries(database, path);
  expect(store.unfinished()).toHaveLength(2);
});
