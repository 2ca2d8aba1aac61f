import type { Database } from './database.ts';

/** Small values that the service keeps across restarts. */
export class Facts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(name: string): string | null {
    const row = this.#database.prepare('SELECT value FROM facts WHERE name = ?').get(name);
    return row === undefined ? null : String(row.value);
  }

  set(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(name, value);
  }
}
