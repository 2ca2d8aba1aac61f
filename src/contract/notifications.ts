import Type from 'typebox';
import { Nullable } from './common.ts';
import { notificationTypes } from './values.ts';

export const NotificationsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ description: '`next` of the previous page.' })),
});

const NotificationAnswer = Type.Object(
  {
    notification_id: Type.String({ format: 'uuid' }),
    notify_type: Type.Enum(notificationTypes),
    message: Nullable(Type.String({ description: 'Truncated to 1,000 characters.' })),
    duration: Type.Integer({ minimum: 0, description: 'Milliseconds; 0: until the user closes it.' }),
    show_close: Type.Boolean(),
    run_id: Nullable(Type.String({ format: 'uuid', description: 'Null: the sender was not a run.' })),
    script_id: Nullable(Type.String({ format: 'uuid' })),
    script_name: Nullable(Type.String()),
    at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false },
);

export const NotificationsAnswer = Type.Object(
  { items: Type.Array(NotificationAnswer), next: Nullable(Type.String()) },
  { additionalProperties: false, description: 'A page of notifications; `next` is null on the last one.' },
);
