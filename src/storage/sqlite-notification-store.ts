import type { StatementSyncInstance } from '@photostructure/sqlite';

import { endCauses, type NotificationType, notificationTypes, runStates } from '../contract/values.ts';
import type {
  KeptNotification,
  NotificationPage,
  NotificationStore,
  NotifiedEnd,
  OutgoingStore,
} from '../notifications/notification-store.ts';
import { type Database, named, transact } from './database.ts';
import { oneOf, type Row } from './sqlite-run-store.ts';

/** Stores notifications in SQLite. */
export class SqliteNotificationStore implements NotificationStore, OutgoingStore {
  readonly #database: Database;
  readonly #add: StatementSyncInstance;
  readonly #forgetOldest: StatementSyncInstance;
  readonly #page: StatementSyncInstance;
  readonly #unsent: StatementSyncInstance;
  readonly #removeUnsent: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    this.#add = database.prepare(
      `INSERT INTO notifications (notification_id, type, message, duration_ms, show_close, run_id, script_id, script_name, at,
           run_state, end_cause, exit_code, unsent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#forgetOldest = database.prepare(
      'DELETE FROM notifications WHERE seq <= (SELECT seq FROM notifications ORDER BY seq DESC LIMIT 1 OFFSET ?)',
    );
    this.#page = database.prepare('SELECT * FROM notifications WHERE seq < ? ORDER BY seq DESC LIMIT ?');
    this.#unsent = database.prepare('SELECT * FROM notifications WHERE unsent = 1 ORDER BY seq');
    this.#removeUnsent = database.prepare('UPDATE notifications SET unsent = 0 WHERE notification_id = ?');
  }

  add(notification: KeptNotification, { keep, isUnsent }: { keep: number; isUnsent: boolean }): void {
    const { id, type, message, durationMs, showClose, runId, scriptId, scriptName, at, end } = notification;
    const literal = message === null ? null : JSON.stringify(message);
    named(() =>
      transact(this.#database, () => {
        this.#add.run(
          ...[id, type, literal, durationMs, showClose ? 1 : 0, runId, scriptId, scriptName, at],
          ...[end?.state ?? null, end?.endCause ?? null, end?.exitCode ?? null, isUnsent ? 1 : 0],
        );
        this.#forgetOldest.run(keep);
      }),
    );
  }

  page({ after, limit }: { after: number | null; limit: number }): NotificationPage {
    // One more than requested, to know whether there is a next page.
    const rows = this.#page.all(after ?? Number.MAX_SAFE_INTEGER, limit + 1);
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? Number(shown.at(-1)?.seq) : null;
    return { notifications: shown.map(toNotification), next };
  }

  unsent(): readonly KeptNotification[] {
    return this.#unsent.all().map(toNotification);
  }

  removeUnsent(id: string): void {
    this.#removeUnsent.run(id);
  }
}

function toNotification(row: Row): KeptNotification {
  return {
    id: String(row.notification_id),
    type: oneOf<NotificationType>(notificationTypes, row.type),
    message: row.message === null ? null : String(JSON.parse(String(row.message))),
    durationMs: Number(row.duration_ms),
    showClose: row.show_close === 1,
    runId: textOf(row.run_id),
    scriptId: textOf(row.script_id),
    scriptName: textOf(row.script_name),
    at: String(row.at),
    end: endOf(row),
  };
}

function endOf({ run_state, end_cause, exit_code }: Row): NotifiedEnd | null {
  if (run_state === null) return null;
  return {
    state: oneOf(runStates, run_state),
    endCause: end_cause === null ? null : oneOf(endCauses, end_cause),
    exitCode: exit_code === null ? null : Number(exit_code),
  };
}

function textOf(value: unknown): string | null {
  return value === null ? null : String(value);
}
