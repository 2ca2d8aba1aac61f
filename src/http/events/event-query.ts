import type { FastifyRequest } from 'fastify';

import { type EventType, eventTypes } from '../../runs/events/event-store.ts';
import { AppError } from '../../shared/errors.ts';

/** The id of the last event that a client received: from the header Last-Event-ID, else from the query field `since`. */
export function readLastEventId({ headers, query }: FastifyRequest): string | null {
  // When a browser reconnects, the address still has the old `since`, and the header has the current position.
  const id = headers['last-event-id'] ?? fieldOf(query, 'since') ?? '';
  if (typeof id !== 'string') throw malformedEventId();
  return id === '' ? null : id;
}

export function malformedEventId(): AppError {
  return new AppError(
    'field-invalid',
    {
      en: 'Last-Event-ID (or since) must be the id of an event in this stream',
      zh: 'Last-Event-ID（或 since）应为此事件流中事件的 id',
    },
    { hint: { en: 'Omit it to receive new events only.', zh: '省略则只接收新的事件。' } },
  );
}

/** The event types that a client subscribes to. */
export function readEventTypes({ query }: FastifyRequest): ReadonlySet<EventType> {
  const value = fieldOf(query, 'types') ?? '';
  if (value === '') return new Set(eventTypes);
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : [];
  const known = eventTypes.filter((type) => names.includes(type));
  if (names.length > 0 && known.length === new Set(names).size) return new Set(known);
  const list = eventTypes.join(', ');
  throw new AppError('field-invalid', {
    en: `types must be one or more of ${list}, separated by commas`,
    zh: `types 应为以下类型，以逗号分隔: ${list}`,
  });
}

function fieldOf(query: unknown, name: string): unknown {
  return typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined;
}
