export const notificationTypes = ['success', 'error', 'info'] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** A notification as it is kept: all that does not depend on where the service listens today. */
export interface KeptNotification {
  readonly id: string;
  readonly type: NotificationType;
  /** Null: there is nothing to say beyond who sent it. */
  readonly message: string | null;
  /** 0: until it is closed by hand. There is no upper bound: whoever sets a timer by it clamps it. */
  readonly durationMs: number;
  readonly showClose: boolean;
  /** The run that sent it, or whose end it tells of. Null: it came from outside. */
  readonly runId: string | null;
  readonly scriptId: string | null;
  readonly scriptName: string | null;
  readonly at: string;
}

export interface NotificationPage {
  /** The newest first. */
  readonly notifications: readonly KeptNotification[];
  /** Where the next page begins; null on the last one. */
  readonly next: number | null;
}

/** Where notifications are kept. Stated here, implemented in `storage/`. */
export interface NotificationStore {
  /** Adds one, and forgets the oldest until no more than `keep` are left. */
  add(notification: KeptNotification, keep: number): void;
  /** Those behind the end of the page before; null: from the newest on. */
  page(query: { readonly after: number | null; readonly limit: number }): NotificationPage;
}
