import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { until } from '../../test/support/until.ts';
import { Checkpointer } from './checkpointer.ts';
import { openDatabase } from './database.ts';

const entry = new URL('../../dist/storage/checkpoint-worker.js', import.meta.url);
const log = pino({ level: 'silent' });

it('moves writes from the log to the database, repeatedly', async () => {
  const path = join(await tempFolder(), 'hob.db');
  const database = openDatabase(path);
  const checkpointer = new Checkpointer({ entry, path, log });
  onTestFinished(async () => {
    await checkpointer.close();
    database.close();
  });
  for (let round = 1; round <= 3; round++) {
    const before = statSync(path).size;
    database.prepare('INSERT INTO facts VALUES (?, ?)').run(`fact ${round}`, 'x'.repeat(1_000_000));
    expect(statSync(path).size).toBe(before);
    await checkpointer.checkpoint();
    expect(statSync(path).size).toBeGreaterThan(before + 900_000);
  }
});

it('continues when its thread fails, and can be closed at any time', async () => {
  const path = join(await tempFolder(), 'nowhere', 'hob.db');
  const checkpointer = new Checkpointer({ entry, path, log });
  await checkpointer.checkpoint();
  await checkpointer.checkpoint();
  await checkpointer.close();
  await checkpointer.close();
});

it.skipIf(!existsSync('/proc/self/task'))('ends its thread after being idle for a while', async () => {
  const path = join(await tempFolder(), 'hob.db');
  const database = openDatabase(path);
  const checkpointer = new Checkpointer({ entry, path, log, idleMs: 20 });
  onTestFinished(async () => {
    await checkpointer.close();
    database.close();
  });
  const countThreads = () => readdirSync('/proc/self/task').length;
  const before = countThreads();
  for (let round = 0; round < 2; round++) {
    await checkpointer.checkpoint();
    expect(countThreads()).toBeGreaterThan(before);
    await until('its thread has ended', async () => countThreads() <= before);
  }
});
