import { setImmediate as nextTurn } from 'node:timers/promises';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { EventsAnswer, EventsHeaders, EventsQuery } from '../../contract/events.ts';
import { type EventType, eventTypes } from '../../runs/event-store.ts';
import type { EventLog } from '../../runs/ledger.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { route } from '../route.ts';
import { eventData } from './event-data.ts';
import {
  type EventStream,
  eventFrame,
  heartbeatFrame,
  idFrame,
  malformedEventId,
  openEventStream,
  readLastEventId,
} from './event-stream.ts';

/** Maximum length of one write. */
const pieceLength = 64 * 1024;

export function addEventRoute(app: FastifyInstance, dependencies: AppDependencies): void {
  const { eventLog } = dependencies;
  route(app, 'GET /api/events', {
    operationId: 'streamEvents',
    tag: 'Runs',
    summary: 'Stream events',
    description:
      'Sends events as they happen (server-sent events). With `Last-Event-ID` or `since`, the stream starts with the events after that one.',
    query: EventsQuery,
    headers: EventsHeaders,
    answer: EventsAnswer,
    async handle(request, reply) {
      const types = readEventTypes(request);
      const lastId = readLastEventId(request);
      const position = lastId === null ? eventLog.newest : readPosition(lastId);
      const stream = openEventStream(request, reply, dependencies);
      if (stream !== null)
        await follow(stream, eventLog, position, types).catch((error) => stream.fail(error));
      return reply;
    },
  });
}

/** The event types that a client subscribes to. */
function readEventTypes({ query }: FastifyRequest): ReadonlySet<EventType> {
  const value = Reflect.get(Object(query), 'types') ?? '';
  if (value === '') return new Set(eventTypes);
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : [];
  const known = eventTypes.filter((type) => names.includes(type));
  if (names.length > 0 && known.length === new Set(names).size) return new Set(known);
  const list = eventTypes.join(', ');
  throw new AppError('field-invalid', {
    en: `types must be one or more of ${list}, separated by commas`,
    zh: `types 应为以下类型，以逗号分隔: ${list}`,
    fields: ['types'],
  });
}

function readPosition(id: string): number {
  if (!/^\d{1,15}$/.test(id)) throw malformedEventId();
  return Number(id);
}

/** Sends the events after a client's position, at the speed of the client. */
async function follow(
  stream: EventStream,
  log: EventLog,
  start: number,
  types: ReadonlySet<EventType>,
): Promise<void> {
  // The last event read. Heartbeats send it, so a client that subscribes to few types resumes from here.
  let position = start;
  stream.heartbeat = () => heartbeatFrame + idFrame(position);
  await stream.send(idFrame(position));
  while (!stream.signal.aborted) {
    const batch = log.read(position);
    let text = batch.hasMissed ? missedFrame(position, batch.position) : '';
    for (const { seq, type, data } of batch.events) {
      position = seq;
      if (!types.has(type)) continue;
      text += eventFrame(seq, type, data);
      if (text.length < pieceLength) continue;
      await stream.send(text);
      text = '';
    }
    position = batch.position;
    if (text !== '') await stream.send(text);
    if (position === log.newest) await nextEvent(log, stream.signal);
    // Yield to other requests while a fast client catches up.
    else await nextTurn();
  }
}

/** Sent if events after the client's last one have been deleted, or if its last id does not exist. */
function missedFrame(after: number, position: number): string {
  return eventFrame(position, 'events.missed', eventData.missed({ after, next: position + 1 }));
}

function nextEvent(log: EventLog, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      unsubscribe();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const unsubscribe = log.published.subscribe(done);
    signal.addEventListener('abort', done, { once: true });
  });
}
