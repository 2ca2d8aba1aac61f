import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { KeyOwner, KeyStore, KeyUse } from '../runs/keys/key-store.ts';
import { type Database, named } from './database.ts';
import { isOpen } from './sqlite-run-store.ts';

/**
 * Number of expired keys removed with each new key: more than one, so that they become fewer, and few enough to cost no
 * time.
 */
const removedInPassing = 20;

/** Whether the run of a key, or the series of attempts that began with it, has not ended. */
const isUnfinished = `(EXISTS (SELECT 1 FROM runs WHERE runs.run_id = idempotency_keys.run_id AND ${isOpen})
  OR EXISTS (SELECT 1 FROM runs WHERE runs.first_run_id = idempotency_keys.run_id AND ${isOpen}))`;

/** Stores idempotency keys in SQLite. */
export class SqliteKeyStore implements KeyStore {
  readonly #find: StatementSyncInstance;
  readonly #removeOld: StatementSyncInstance;
  readonly #put: StatementSyncInstance;
  readonly #isHeld: StatementSyncInstance;
  readonly #release: StatementSyncInstance;

  constructor(database: Database) {
    this.#find = database.prepare(
      `SELECT run_id, body_mac FROM idempotency_keys WHERE script_id = ? AND key_hash = ? AND (used_at >= ? OR ${isUnfinished})`,
    );
    this.#removeOld = database.prepare(
      `DELETE FROM idempotency_keys WHERE (script_id, key_hash) IN
         (SELECT script_id, key_hash FROM idempotency_keys WHERE used_at < ? AND NOT ${isUnfinished}
           ORDER BY used_at LIMIT ${removedInPassing})`,
    );
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO idempotency_keys (script_id, key_hash, body_mac, run_id, used_at) VALUES (?, ?, ?, ?, ?)`,
    );
    this.#isHeld = database.prepare('SELECT 1 FROM idempotency_keys WHERE run_id = ?');
    this.#release = database.prepare('DELETE FROM idempotency_keys WHERE run_id = ?');
  }

  find({ scriptId, keyHash }: Pick<KeyUse, 'scriptId' | 'keyHash'>, since: string): KeyOwner | null {
    const row = this.#find.get(scriptId, keyHash, since);
    return row === undefined ? null : { runId: String(row.run_id), bodyMac: String(row.body_mac) };
  }

  put(
    { scriptId, keyHash, bodyMac }: KeyUse,
    { runId, usedAt, since }: { runId: string; usedAt: string; since: string },
  ): void {
    named(() => {
      this.#removeOld.run(since);
      this.#put.run(scriptId, keyHash, bodyMac, runId, usedAt);
    });
  }

  isHeld(runId: string): boolean {
    return this.#isHeld.get(runId) !== undefined;
  }

  release(runId: string): void {
    named(() => this.#release.run(runId));
  }
}
