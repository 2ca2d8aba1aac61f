import type { EndCause, NotificationType, RunState } from '../contract/values.ts';

/** How the run ended whose end a notification reports. */
export interface NotifiedEnd {
  readonly state: RunState;
  readonly endCause: EndCause | null;
  readonly exitCode: number | null;
}

/** A stored notification, without data that depends on the current address of the service. */
export interface KeptNotification {
  readonly id: string;
  readonly type: NotificationType;
  /** Null: only the sender is shown. */
  readonly message: string | null;
  /** 0: until the user closes it. Unbounded: timers must clamp it. */
  readonly durationMs: number;
  readonly showClose: boolean;
  /** The run that sent it, or whose end it reports. Null: the sender was not a run. */
  readonly runId: string | null;
  readonly scriptId: string | null;
  readonly scriptName: string | null;
  /** Null: it does not report the end of a run. */
  readonly end: NotifiedEnd | null;
  readonly at: string;
}

export interface NotificationPage {
  /** Newest first. */
  readonly notifications: readonly KeptNotification[];
  /** Start of the next page; null on the last page. */
  readonly next: number | null;
}

/** Storage of notifications. Implemented in `storage/`. */
export interface NotificationStore {
  /** Adds a notification, and deletes the oldest until at most `keep` remain. `isUnsent`: it must still be sent to the URL of the user. */
  add(notification: KeptNotification, options: { readonly keep: number; readonly isUnsent: boolean }): void;
  /** Notifications after the previous page; null: from the newest. */
  page(query: { readonly after: number | null; readonly limit: number }): NotificationPage;
}

/** The notifications that must still be sent to the URL of the user. Implemented in `storage/`. */
export interface OutgoingStore {
  /** Oldest first. */
  unsent(): readonly KeptNotification[];
  /** They were sent, or are given up. */
  removeUnsent(id: string): void;
}
