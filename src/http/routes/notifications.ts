import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { NotificationsAnswer, NotificationsQuery } from '../../contract/notifications.ts';
import type { KeptNotification } from '../../notifications/notification-store.ts';
import { keptNotifications } from '../../notifications/notifications.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { AppDependencies } from '../dependencies.ts';
import { invalidCursor, QueryFields } from '../query-fields.ts';

export function addNotificationsRoute(app: FastifyInstance, { notifications }: AppDependencies): void {
  const schema = {
    summary: 'Notifications',
    description: `Lists the last ${keptNotifications} notifications, newest first, in pages. Deleting a run deletes its notifications.`,
    querystring: NotificationsQuery,
    response: { 200: NotificationsAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/notifications', { schema }, async (request) => {
    const fields = new QueryFields(request.query, Object.keys(NotificationsQuery.properties));
    const cursor = fields.text('cursor');
    const page = notifications.page({
      after: cursor === null ? null : readCursor(cursor),
      limit: fields.integer('limit', { from: 1, to: keptNotifications, fallback: 50 }),
    });
    const next = page.next === null ? null : writeCursor(page.next);
    return { items: page.notifications.map(notificationAnswer), next };
  });
}

function notificationAnswer(notification: KeptNotification): JsonObject {
  return {
    notification_id: notification.id,
    notify_type: notification.type,
    message: notification.message,
    duration: notification.durationMs,
    show_close: notification.showClose,
    run_id: notification.runId,
    script_id: notification.scriptId,
    script_name: notification.scriptName,
    at: notification.at,
  };
}

/** An opaque text. The prefix distinguishes it from the cursors of other lists. */
function writeCursor(seq: number): string {
  return Buffer.from(`n${seq}`).toString('base64url');
}

function readCursor(text: string): number {
  const [, seq] = /^n(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (seq === undefined) throw invalidCursor();
  return Number(seq);
}
