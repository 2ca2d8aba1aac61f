import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { SlugEntry, SlugStore } from '../scripts/slug-store.ts';
import { type Database, named, transact } from './database.ts';

const columns = 'slug, script_id, is_current, is_own, declared';

/** Stores the slugs of scripts in SQLite. */
export class SqliteSlugStore implements SlugStore {
  readonly #database: Database;
  readonly #put: StatementSyncInstance;
  readonly #add: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    this.#put = database.prepare(`INSERT OR REPLACE INTO slugs (${columns}) VALUES (?, ?, ?, ?, ?)`);
    this.#add = database.prepare(`INSERT OR IGNORE INTO slugs (${columns}) VALUES (?, ?, ?, ?, ?)`);
  }

  all(): SlugEntry[] {
    return readSlugs(this.#database);
  }

  put(entries: readonly SlugEntry[]): void {
    this.#writeAll(this.#put, entries);
  }

  /** Adds entries of another home. Slugs that this home has, and scripts that have one here, stay as they are. */
  add(entries: readonly SlugEntry[]): void {
    this.#writeAll(this.#add, entries);
  }

  #writeAll(statement: StatementSyncInstance, entries: readonly SlugEntry[]): void {
    named(() =>
      transact(this.#database, () => {
        // First the slugs that scripts give up: a script has only one current slug.
        for (const entry of entries.toSorted((one, other) => Number(one.isCurrent) - Number(other.isCurrent)))
          statement.run(
            entry.slug,
            entry.scriptId,
            Number(entry.isCurrent),
            Number(entry.isOwn),
            entry.declared,
          );
      }),
    );
  }
}

/** The database may be open for reading only. */
export function readSlugs(database: Database): SlugEntry[] {
  return database
    .prepare(`SELECT ${columns} FROM slugs`)
    .all()
    .map((row) => ({
      slug: String(row.slug),
      scriptId: String(row.script_id),
      isCurrent: row.is_current === 1,
      isOwn: row.is_own === 1,
      declared: row.declared === null ? null : String(row.declared),
    }));
}
