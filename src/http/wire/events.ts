import Type from 'typebox';

import { Nullable } from './common.ts';

export const EventsQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      description: 'The last event known; what the header Last-Event-ID says, for others than browsers.',
    }),
  ),
  types: Type.Optional(Type.String({ description: 'Only these, with commas between them.' })),
});

export const EventsHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The id of the last event known: what comes after it is sent first.' }),
  ),
});

export const RunEventsQuery = Type.Object({ since: EventsQuery.properties.since });

export const NothingMore = Type.Null({ description: 'The client knows the end already.' });

/** Refusals are JSON, as everywhere: only this one answer is a stream. */
export const EventsAnswer = {
  description: 'Events as they happen.',
  content: {
    'text/event-stream': {
      schema: Type.String({ description: 'Each event has an id, a type and one line of JSON.' }),
    },
  },
};

export const ProgressBody = Type.Object({
  fraction: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  message: Type.Optional(Nullable(Type.String({ description: 'Cut after 1,000 characters.' }))),
});

export const ProgressAnswer = Type.Object(
  { status: Type.Literal('success') },
  { additionalProperties: false, description: 'It was taken.' },
);
