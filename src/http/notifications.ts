import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import * as schemas from '../contract/notifications.ts';
import type { DeliveryAttempt, Notification, OutgoingNotifications } from '../contract/types.ts';
import { notificationTypes } from '../contract/values.ts';
import type { KeptNotification } from '../notifications/notification-store.ts';
import { keptNotifications } from '../notifications/notifications.ts';
import type { DeliveryAttempt as Attempt } from '../notifications/outgoing/outgoing.ts';
import { AppError } from '../shared/errors.ts';
import type { Language, Text } from '../shared/text.ts';
import type { AppDependencies } from './dependencies.ts';
import { notifyContentType } from './error-answers.ts';
import { checkQuery, invalidCursor, QueryFields } from './fields.ts';
import { bodyOf, languageOf, whenAnsweredOr } from './request.ts';
import { route } from './route.ts';

export function addNotificationRoutes(
  app: FastifyInstance,
  { notifications, outgoing, runStore, closing }: AppDependencies,
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

  route(app, 'GET /api/notifications/outgoing', {
    operationId: 'getOutgoingNotifications',
    tag: 'Notifications',
    summary: 'Check the sending of notifications to a URL',
    description:
      'Returns whether notifications are also sent to the URL of the setting `notify_url`, and whether the last one was delivered.',
    answer: schemas.OutgoingAnswer,
    async handle(request): Promise<OutgoingNotifications> {
      checkQuery(request.query);
      const { origin, format, send, waiting, last } = outgoing?.state ?? noOutgoing;
      const language = languageOf(request, 'en');
      return { origin, format, send, waiting, last: last && attemptAnswer(last, language) };
    },
  });

  route(app, 'POST /api/notifications/test', {
    operationId: 'sendTestNotification',
    tag: 'Notifications',
    summary: 'Send a test notification to the URL',
    description:
      'Sends a test to the URL of the setting `notify_url`, once, and returns what the URL answered. Scripts cannot call this with their run token.',
    answer: schemas.DeliveryAttemptAnswer,
    async handle(request, reply): Promise<DeliveryAttempt> {
      if (request.caller !== null) throw testForRun();
      if (outgoing === null) throw noUrl();
      const attempt = await outgoing.test(whenAnsweredOr(closing, request, reply));
      return attemptAnswer(attempt, languageOf(request, 'en'));
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

const noOutgoing = { origin: null, format: null, send: null, waiting: 0, last: null };

function attemptAnswer(attempt: Attempt, language: Language): DeliveryAttempt {
  const { at, isDelivered, status, durationMs, failure } = attempt;
  return {
    at,
    delivered: isDelivered,
    http_status: status,
    duration_ms: durationMs,
    problem: failure?.problem[language] ?? null,
    hint: failure?.hint[language] ?? null,
  };
}

function noUrl(): AppError {
  return new AppError('notify-url-missing', {
    en: 'The setting notify_url is empty.',
    zh: '设置 notify_url 为空。',
    hint: {
      en: 'Set it in settings.toml to the URL that receives notifications, then restart Hob.',
      zh: '请在 settings.toml 中将它设为接收通知的网址，然后重启 Hob。',
    },
  });
}

function testForRun(): AppError {
  return new AppError('not-for-runs', {
    en: 'A run token cannot call this operation.',
    zh: '运行令牌不能调用此操作。',
    hint: {
      en: 'A running script sends notifications with POST /api/notify.',
      zh: '运行中的脚本请用 POST /api/notify 发送通知。',
    },
  });
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
