import Type from 'typebox';
import { Closed, Count, cursor, Flag, Named, Nullable, NullableText, Page, Text, Uuid } from './common.ts';
import { notificationTypes, outgoingFormats, outgoingSelections } from './values.ts';

export const NotifyBody = Named(
  'NotifyRequest',
  Type.Object({
    notify_type: Type.Enum(notificationTypes),
    message: Type.Optional(NullableText),
    duration: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Milliseconds until it disappears; 0: it stays until the user closes it. Absent: 5000.',
      }),
    ),
    show_close: Type.Optional(Flag('Whether it has a close button. Absent: false.')),
  }),
);

export const NotifyAnswer = Named(
  'NotificationShown',
  Closed({ success: Type.Literal(true) }, 'The notification was accepted.'),
);

export const NotifyError = Named('NotifyError', Closed({ error: Type.String() }, 'Refused.'));

export const NotificationsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'Maximum number of notifications in the answer.',
    }),
  ),
  cursor,
});

const NotificationAnswer = Named(
  'Notification',
  Closed({
    notification_id: Uuid,
    notify_type: Type.Enum(notificationTypes),
    message: Nullable(Text('Truncated to 1,000 characters.')),
    duration: Type.Integer({ minimum: 0, description: 'Milliseconds; 0: until the user closes it.' }),
    show_close: Type.Boolean(),
    run_id: Nullable(Type.String({ format: 'uuid', description: 'Null: the sender was not a run.' })),
    script_id: Nullable(Uuid),
    script_name: NullableText,
    at: Type.String({ format: 'date-time' }),
  }),
);

export const NotificationsAnswer = Named(
  'NotificationPage',
  Page(NotificationAnswer, 'A page of notifications; `next` is null on the last one.'),
);

export const DeliveryAttemptAnswer = Named(
  'DeliveryAttempt',
  Closed(
    {
      at: Type.String({ format: 'date-time' }),
      delivered: Flag('Whether the URL answered with a status from 200 to 299.'),
      http_status: Nullable(Type.Integer({ description: 'Null: there was no answer.' })),
      duration_ms: Type.Integer({ minimum: 0 }),
      problem: Nullable(Text('Why it was not delivered, in the language of the caller.')),
      hint: Nullable(Text('The next step.')),
    },
    'One request to the URL.',
  ),
);

export const OutgoingAnswer = Named(
  'OutgoingNotifications',
  Closed(
    {
      origin: Nullable(
        Text('Scheme, host and port of `notify_url`. The rest may be a secret. Null: the setting is empty.'),
      ),
      format: Nullable(Type.Enum(outgoingFormats)),
      send: Nullable(Type.Enum(outgoingSelections)),
      waiting: Count('Number of notifications that are not delivered yet.'),
      last: Nullable(DeliveryAttemptAnswer),
    },
    'Whether notifications are sent to a URL, and the last request since the service started.',
  ),
);
