import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { AgentChoice, AgentChoiceStore } from '../mcp/choices.ts';
import { type Database, named } from './database.ts';

/** Stores in SQLite what the user chose for the tools of scripts. */
export class SqliteAgentChoiceStore implements AgentChoiceStore {
  readonly #all: StatementSyncInstance;
  readonly #put: StatementSyncInstance;
  readonly #remove: StatementSyncInstance;

  constructor(database: Database) {
    this.#all = database.prepare('SELECT script_id, is_offered, is_asked FROM agent_choices');
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO agent_choices (script_id, is_offered, is_asked) VALUES (?, ?, ?)',
    );
    this.#remove = database.prepare('DELETE FROM agent_choices WHERE script_id = ?');
  }

  all(): AgentChoice[] {
    return this.#all.all().map((row) => ({
      scriptId: String(row.script_id),
      isOffered: flagOf(row.is_offered),
      isAsked: flagOf(row.is_asked),
    }));
  }

  put({ scriptId, isOffered, isAsked }: AgentChoice): void {
    named(() => {
      if (isOffered === null && isAsked === null) this.#remove.run(scriptId);
      else this.#put.run(scriptId, numberOf(isOffered), numberOf(isAsked));
    });
  }
}

function flagOf(value: unknown): boolean | null {
  return value === null ? null : value === 1;
}

function numberOf(flag: boolean | null): number | null {
  return flag === null ? null : Number(flag);
}
