import { setImmediate as nextTurn } from 'node:timers/promises';

import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { EventsAnswer, EventsHeaders, EventsQuery } from '../../contract/events.ts';
import type { EventLog } from '../../runs/events/event-log.ts';
import type { EventType } from '../../runs/events/event-store.ts';
import type { AppDependencies } from '../dependencies.ts';
import { eventFrame, heartbeatFrame, idFrame } from '../events/event-frames.ts';
import { malformedEventId, readEventTypes, readLastEventId } from '../events/event-query.ts';
import { type EventStream, openEventStream } from '../events/event-stream.ts';

/** Maximum length of one write. */
const pieceLength = 64 * 1024;

export function addEventRoute(app: FastifyInstance, dependencies: AppDependencies): void {
  const { eventLog } = dependencies;
  const schema = {
    summary: 'Stream events',
    description:
      'Sends events as they happen (server-sent events). With `Last-Event-ID` or `since`, the stream starts with the events after that one.',
    querystring: EventsQuery,
    headers: EventsHeaders,
    response: { 200: EventsAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/events', { schema }, async (request, reply) => {
    const types = readEventTypes(request);
    const lastId = readLastEventId(request);
    const position = lastId === null ? eventLog.newest : readPosition(lastId);
    const stream = openEventStream(request, reply, dependencies);
    if (stream !== null) await follow(stream, eventLog, position, types).catch((error) => stream.fail(error));
    return reply;
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
  return eventFrame(position, 'events.missed', JSON.stringify({ after, next: position + 1 }));
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
