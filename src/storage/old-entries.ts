import { readFileSync, rmSync } from 'node:fs';

import { errnoOf } from '../shared/errors.ts';
import { type Database, transact } from './database.ts';

const columns = `run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync, state, data, params,
  queued_at, started_at, executor`;
const columnCount = 15;

type Row = (string | number | null)[];

/**
 * Imports the file in which release 0.1.0 kept new runs before it wrote them to the database. A killed service left
 * rows there. Removes the file.
 */
export function importOldEntries(database: Database, path: string): void {
  const rows = readRows(path);
  if (rows === null) return;
  const places = Array.from({ length: columnCount }, () => '?').join(', ');
  const insert = database.prepare(`INSERT INTO runs (${columns}) VALUES (${places}) ON CONFLICT DO NOTHING`);
  transact(database, () => {
    for (const row of rows) insert.run(...row);
  });
  rmSync(path);
}

/** Null if there is no such file. The last line may be cut off. */
function readRows(path: string): Row[] | null {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parseRow);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function parseRow(line: string): Row[] {
  try {
    const row: unknown = JSON.parse(line);
    const isRow = Array.isArray(row) && row.length === columnCount && row.every(isValue) && row[1] !== null;
    return isRow ? [row] : [];
  } catch {
    return [];
  }
}

function isValue(value: unknown): value is string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}
