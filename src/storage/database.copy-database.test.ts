import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { Facts, openDatabase } from './database.ts';
import { migrations } from './migrations.ts';

const [newest, old] = [migrations.length, migrations.length - 1];

/** A database of an older release, with one fact. */
async function oldDatabase(): Promise<{ folder: string; path: string }> {
  const folder = await tempFolder();
  const path = join(folder, 'hob.db');
  const database = new DatabaseSync(path);
  for (const migration of migrations.slice(0, old)) database.exec(migration);
  new Facts(database).set('a', '中文');
  database.exec(`PRAGMA user_version = ${old}`);
  database.close();
  return { folder, path };
}

function contentOf(path: string): { version: unknown; fact: string | null; integrity: unknown } {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const version = database.prepare('PRAGMA user_version').get()?.user_version;
    const integrity = database.prepare('PRAGMA integrity_check').get()?.integrity_check;
    return { version, fact: new Facts(database).get('a'), integrity };
  } finally {
    database.close();
  }
}

async function copiesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.includes('.schema-')).toSorted();
}

it('copies an older database to a private file before the migration', async () => {
  const { folder, path } = await oldDatabase();
  let copied = '';
  openDatabase(path, (copy) => {
    copied = copy;
  }).close();
  const [name = '', ...others] = await copiesIn(folder);
  expect({ copied, others }).toEqual({ copied: join(folder, name), others: [] });
  expect(name).toMatch(new RegExp(`^hob\\.db\\.schema-${old}-\\d{8}T\\d{6}Z$`));
  expect((await stat(copied)).mode & 0o777).toBe(0o600);
  expect(contentOf(copied)).toEqual({ version: old, fact: '中文', integrity: 'ok' });
  expect(contentOf(path)).toEqual({ version: newest, fact: '中文', integrity: 'ok' });
  openDatabase(path).close();
  expect(await copiesIn(folder)).toEqual([name]);
});

it('makes no copy of a new database', async () => {
  const folder = await tempFolder();
  openDatabase(join(folder, 'hob.db')).close();
  expect(await copiesIn(folder)).toEqual([]);
});

it('keeps the newest two copies, and files with similar names', async () => {
  const { folder, path } = await oldDatabase();
  const [first, second] = ['hob.db.schema-3-20240101T000000Z', 'hob.db.schema-2-20250101T000000Z'];
  const mine = 'hob.db.schema-1-mine';
  for (const name of [first, second, mine]) await writeFile(join(folder, name), '');
  openDatabase(path).close();
  const names = await copiesIn(folder);
  expect(names).toEqual(expect.arrayContaining([mine, second]));
  expect(names).toHaveLength(3);
  expect(names).not.toContain(first);
});

it('replaces the draft of a process that was killed while it copied', async () => {
  const { folder, path } = await oldDatabase();
  await writeFile(`${path}.schema-copy`, 'half a copy');
  openDatabase(path).close();
  const [name = '', ...others] = await copiesIn(folder);
  expect(others).toEqual([]);
  expect(contentOf(join(folder, name))).toMatchObject({ version: old, integrity: 'ok' });
});

it('refuses to migrate if the copy cannot be made, and changes nothing', async () => {
  const { folder, path } = await oldDatabase();
  const before = await readFile(path);
  await mkdir(`${path}.schema-copy`);
  expect(() => openDatabase(path)).toThrow(/cannot copy its database .* changed nothing.*start Hob again/);
  expect((await readFile(path)).equals(before)).toBe(true);
  expect((await readdir(folder)).toSorted()).toEqual(['hob.db', 'hob.db.schema-copy']);
});
