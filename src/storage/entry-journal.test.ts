import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import { openDatabase } from './database.ts';
import { EntryJournal } from './entry-journal.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);
const record = queuedRun();
const start = { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' };
const running = { ...record, state: 'running', ...start };

async function scene(folder?: string) {
  const home = folder ?? (await tempFolder());
  const path = join(home, 'entries.jsonl');
  const database = openDatabase(join(home, 'hob.db'));
  const journal = new EntryJournal(path);
  const close = () => {
    if (!database.isOpen) return;
    database.close();
    journal.close();
  };
  onTestFinished(close);
  const rows = () => Number(database.prepare('SELECT count(*) AS rows FROM runs').get()?.rows);
  return { home, path, database, close, rows, store: new SqliteRunStore(database, journal) };
}

function another(digit: number) {
  return { ...record, runId: record.runId.replace(/^./, String(digit)) };
}

describe('a run that starts at once', () => {
  it('is only noted, until somebody asks for it', async () => {
    const { store, path, rows } = await scene();
    expect(store.insert(record, 'hash', { durable: false, start })).toEqual(record);
    expect([rows(), (await readFile(path, 'utf8')).length > 0]).toEqual([0, true]);
    expect(store.find(record.runId)).toEqual(running);
    expect([rows(), await readFile(path, 'utf8')]).toEqual([1, '']);
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
  });

  it('is put on record by itself if nobody asks', async () => {
    const { store, rows } = await scene();
    store.insert(record, 'hash', { durable: false, start });
    await expect.poll(rows).toBe(1);
  });

  it.each(['has', 'findBrief', 'unfinished', 'findByToken', 'settle'] as const)(
    'is there for %s',
    async (method) => {
      const { store, rows } = await scene();
      store.insert(record, 'hash', { durable: false, start });
      store[method](method === 'findByToken' ? 'hash' : record.runId);
      expect(rows()).toBe(1);
    },
  );

  it('comes before one that is put on record after it', async () => {
    const { store } = await scene();
    store.insert(another(1), 'one', { durable: false, start });
    store.insert(another(2), 'two', { durable: true });
    store.insert(another(3), 'three', { durable: false, start });
    expect(store.unfinished().map(({ runId }) => runId[0])).toEqual(['1', '2', '3']);
  });

  it('is not noted when it is large: what is large is written once', async () => {
    const { store, rows } = await scene();
    store.insert({ ...record, data: 'x'.repeat(20_000) }, 'hash', { durable: false, start });
    expect(rows()).toBe(1);
  });

  it('is put on record by the next service if this one was killed, once, and whatever else is in the journal', async () => {
    const killed = await scene();
    killed.store.insert(another(1), 'one', { durable: false, start });
    killed.store.insert(another(2), 'two', { durable: false, start });
    const noted = await readFile(killed.path, 'utf8');
    killed.close();
    const [first = ''] = noted.split('\n');
    await writeFile(
      killed.path,
      `{}\n["too","short"]\n${first.replace('"one"', 'null')}\n${first.replace('"one"', '{}')}\n${noted}`,
    );
    await appendFile(killed.path, '["half a li');
    const next = await scene(killed.home);
    expect(next.store.unfinished().map(({ runId }) => runId[0])).toEqual(['1', '2']);
    expect(await readFile(killed.path, 'utf8')).toBe('');
    next.close();
    // Killed after the one and before the other.
    await writeFile(killed.path, noted);
    expect((await scene(killed.home)).rows()).toBe(2);
  });

  it('stays noted when what it belongs to fails', async () => {
    const { store, path, rows } = await scene();
    store.insert(record, 'hash', { durable: false, start });
    const fail = () => {
      throw new Error('no');
    };
    expect(() => store.atomically(fail, { durable: false })).toThrow('no');
    expect([rows(), (await readFile(path, 'utf8')).split('\n').length]).toEqual([0, 2]);
    expect(store.find(record.runId)).toEqual(running);
  });

  it('stays noted while the database has no room, and the next one is told so', async () => {
    const { store, database, path, rows } = await scene();
    const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    let accepted = 0;
    const write = () => {
      for (; accepted < 1000; accepted++) {
        store.insert({ ...record, runId: randomUUID() }, randomUUID(), { durable: false, start });
        store.settle();
      }
    };
    expect(write).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }));
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(2);
    expect(store.unfinished()).toHaveLength(accepted - 1);
    database.exec('PRAGMA max_page_count = 100000');
    expect(store.unfinished()).toHaveLength(accepted);
    expect([rows(), await readFile(path, 'utf8')]).toEqual([accepted, '']);
  });
});

describe.skipIf(!canMount)('a journal without room', () => {
  it('says so, and keeps what it had', async () => {
    const folder = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,mode=700', 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    const path = join(folder, 'entries.jsonl');
    const journal = new EntryJournal(path);
    onTestFinished(() => journal.close());
    journal.add(['first']);
    expect(() => journal.add(['x'.repeat(5000)])).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    journal.add(['second']);
    expect(new EntryJournal(path).read()).toEqual([['first'], ['second']]);
    journal.clear();
    expect(await readFile(path, 'utf8')).toBe('');
  });
});
