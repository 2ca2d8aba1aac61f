import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { AgentChoice, AgentChoiceStore } from '../mcp/choices.ts';
import { type Database, named } from './database.ts';

/** Stores in SQLite what the user chose for the tools of scripts. */
export class SqliteAgentChoiceStore implements AgentChoiceStore {
  readonly #database: Database;
  readonly #put: StatementSyncInstance;
  readonly #remove: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO agent_choices (script_id, is_offered, is_asked) VALUES (?, ?, ?)',
    );
    this.#remove = database.prepare('DELETE FROM agent_choices WHERE script_id = ?');
  }

  all(): AgentChoice[] {
    return readAgentChoices(this.#database);
  }

  put({ scriptId, isOffered, isAsked }: AgentChoice): void {
    named(() => {
      if (isOffered === null && isAsked === null) this.#remove.run(scriptId);
      else this.#put.run(scriptId, numberOf(isOffered), numberOf(isAsked));
    });
  }
}

/** The database may be open for reading only. */
export function readAgentChoices(database: Database): AgentChoice[] {
  return database
    .prepare('SELECT script_id, is_offered, is_asked FROM agent_choices')
    .all()
    .map((row) => ({
      scriptId: String(row.script_id),
      isOffered: flagOf(row.is_offered),
      isAsked: flagOf(row.is_asked),
    }));
}

function flagOf(value: unknown): boolean | null {
  return value === null ? null : value === 1;
}

function numberOf(flag: boolean | null): number | null {
  return flag === null ? null : Number(flag);
}
