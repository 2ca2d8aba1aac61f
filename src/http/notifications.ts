import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import * as schemas from '../contract/notifications.ts';
import type { Notification } from '../contract/types.ts';
import { notificationTypes } from '../contract/values.ts';
import type { KeptNotification } from '../notifications/notification-store.ts';
import { keptNotifications } from '../notifications/notifications.ts';
import { AppError } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';
import type { AppDependencies } from './dependencies.ts';
import { notifyContentType } from './error-answers.ts';
import { invalidCursor, QueryFields } from './fields.ts';
import { bodyOf } from './request.ts';
import { route } from './route.ts';

export function addNotificationRoutes(
  app: FastifyInstance,
  { notifications, runStore }: AppDependencies,
): void {
  route(app, 'POST /api/notify', {
    operationId: 'showNotification',
    tag: 'Notifications',
    summary: 'Show a notification',
    description: 'Shows a notification on the desktop of the user.',
    body: schemas.NotifyBody,
    examples: {
      done: {
        summary: 'Show a message for three seconds',
        body: { notify_type: 'success', message: 'All images are resized', duration: 3000 },
      },
    },
    answer: schemas.NotifyAnswer,
    error: schemas.NotifyError,
    async handle(request) {
      const type = request.headers['content-type'] ?? '';
      if (!/^application\/json\s*(?:;|$)/i.test(type)) throw notifyContentType();
      const { fields } = bodyOf(request);
      if (!Value.Check(schemas.NotifyBody, fields)) throw firstMistake(fields);
      notifications.show({
        type: fields.notify_type,
        message: fields.message ?? null,
        durationMs: fields.duration ?? 5000,
        showClose: fields.show_close ?? false,
        run: request.caller && runStore.findBrief(request.caller.runId),
      });
      return { success: true };
    },
  });

  route(app, 'GET /api/notifications', {
    operationId: 'listNotifications',
    tag: 'Notifications',
    summary: 'List notifications',
    description: `Lists the last ${keptNotifications} notifications, newest first, in pages. Deleting a run deletes its notifications.`,
    query: schemas.NotificationsQuery,
    answer: schemas.NotificationsAnswer,
    async handle(request) {
      const fields = new QueryFields(request.query, schemas.NotificationsQuery);
      const cursor = fields.text('cursor');
      const page = notifications.page({
        after: cursor === null ? null : readCursor(cursor),
        limit: fields.integer('limit'),
      });
      const next = page.next === null ? null : writeCursor(page.next);
      return { items: page.notifications.map(notificationAnswer), next };
    },
  });
}

export function notificationAnswer(notification: KeptNotification): Notification {
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

const expectations: Record<string, Text> = {
  notify_type: {
    en: `notify_type must be one of ${notificationTypes.join(', ')}`,
    zh: `notify_type 应为 ${notificationTypes.join('、')} 之一`,
  },
  message: { en: 'message must be a string or null', zh: 'message 应为字符串或 null' },
  duration: {
    en: 'duration must be an integer number of milliseconds, 0 or more (0: until the user closes it)',
    zh: 'duration 应为非负整数（毫秒，0 表示直到手动关闭）',
  },
  show_close: { en: 'show_close must be true or false', zh: 'show_close 应为 true 或 false' },
};

function firstMistake(fields: object): AppError {
  const [error] = Value.Errors(schemas.NotifyBody, fields);
  const field = error?.instancePath.split('/')[1] ?? 'notify_type';
  const text = expectations[field] ?? expectations.notify_type;
  return new AppError('notify-invalid', text ?? { en: 'The notification is invalid', zh: '通知无效' });
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
