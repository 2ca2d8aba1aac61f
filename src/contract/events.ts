import Type from 'typebox';

import { Nullable } from './common.ts';

export const EventsQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      description:
        'Id of the last event received. Same as the header `Last-Event-ID`, for clients that cannot set it.',
    }),
  ),
  types: Type.Optional(
    Type.String({ description: 'The event types to send, separated by commas. Absent: all.' }),
  ),
});

export const EventsHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'Id of the last event received. The stream starts with the events after it.',
    }),
  ),
});

export const RunEventsQuery = Type.Object({ since: EventsQuery.properties.since });

export const NothingMore = Type.Null({
  description: 'The run has ended, and the client has received all its events.',
});

/** Only the answer 200 is a stream. Errors are JSON, as everywhere. */
export const EventsAnswer = {
  description: 'Events as they happen.',
  content: {
    'text/event-stream': {
      schema: Type.String({ description: 'Each event has an id, a type and one line of JSON data.' }),
    },
  },
};

export const ProgressBody = Type.Object({
  fraction: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  message: Type.Optional(Nullable(Type.String({ description: 'Truncated to 1,000 characters.' }))),
});

export const ProgressAnswer = Type.Object(
  { status: Type.Literal('success') },
  { additionalProperties: false, description: 'The progress was accepted.' },
);
