import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import { NotifyAnswer, NotifyBody, NotifyError } from '../../contract/operations.ts';
import { notificationTypes } from '../../contract/values.ts';
import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { notifyContentType } from '../error-answers.ts';

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

export function addNotifyRoute(app: FastifyInstance, { notifications, runStore }: AppDependencies): void {
  const schema = {
    summary: 'Show a notification',
    description: 'Shows a notification on the desktop of the user.',
    body: NotifyBody,
    response: { 200: NotifyAnswer, '4xx': NotifyError, '5xx': NotifyError },
  };
  app.post('/api/notify', { schema }, async (request) => {
    const type = request.headers['content-type'] ?? '';
    if (!/^application\/json\s*(?:;|$)/i.test(type)) throw notifyContentType();
    const { fields } = bodyOf(request);
    if (!Value.Check(NotifyBody, fields)) throw firstMistake(fields);
    notifications.show({
      type: fields.notify_type,
      message: fields.message ?? null,
      durationMs: fields.duration ?? 5000,
      showClose: fields.show_close ?? false,
      run: request.caller && runStore.findBrief(request.caller.runId),
    });
    return { success: true };
  });
}

function firstMistake(fields: object): AppError {
  const [error] = Value.Errors(NotifyBody, fields);
  const field = error?.instancePath.split('/')[1] ?? 'notify_type';
  const text = expectations[field] ?? expectations.notify_type;
  return new AppError('notify-invalid', text ?? { en: 'The notification is invalid', zh: '通知无效' });
}
