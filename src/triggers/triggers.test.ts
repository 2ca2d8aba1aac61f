import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';

import { silentDriver } from '../../test/support/triggers-in-memory.ts';
import { until } from '../../test/support/until.ts';
import { openDatabase } from '../storage/database.ts';
import { SqliteTriggerStore } from '../storage/sqlite-trigger-store.ts';
import type { ScheduleTrigger } from './trigger.ts';
import { TriggerFile } from './trigger-file.ts';
import { Triggers } from './triggers.ts';

it('pauses nothing while the file has been broken since the start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hob-triggers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'triggers.toml');
  await writeFile(file, '[[trigger\n');
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const updates: number[] = [];
  const schedule = {
    ...silentDriver<ScheduleTrigger>(),
    update: (triggers: readonly ScheduleTrigger[]) => void updates.push(triggers.length),
  };
  const notices: string[] = [];
  const triggers = new Triggers({
    file: new TriggerFile(file),
    context: {
      findScript: () => ({ kind: 'missing', id: null }),
      hasSecret: () => true,
      homePaths: [folder],
    },
    drivers: { schedule, folder: silentDriver(), webhook: silentDriver() },
    store: new SqliteTriggerStore(database),
    runs: {
      start: () => Promise.reject(new Error('this test starts no run')),
      find: () => null,
      endOf: () => 'unknown',
      isLive: () => false,
      onEnd: () => () => {},
    },
    log: pino({ level: 'silent' }),
    now: () => new Date(),
    notify: ({ en }) => void notices.push(en),
  });
  onTestFinished(() => triggers.close());
  await triggers.start();
  triggers.refresh();
  expect(updates).toEqual([]);
  expect(notices).toEqual([
    'triggers.toml has a mistake (line 1). No trigger starts a run before it is corrected. To see it: hob triggers',
  ]);
  await writeFile(file, '');
  await until('the file is read again', async () => updates.length > 0);
  expect(triggers.fileProblem).toBeNull();
});
