import type { ServerResponse } from 'node:http';

import type { FastifyReply, FastifyRequest } from 'fastify';

import type { ServiceEvent } from '../../contract/events.ts';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';

/** One event in the format `text/event-stream`. `data` must be a single line. */
export function eventFrame(id: string | number, type: ServiceEvent['type'], data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** Sets the position from which a client resumes, without an event. */
export function idFrame(id: string | number): string {
  return `id: ${id}\n\n`;
}

/** Sent first: the delay before a disconnected client reconnects. It is short, because the service is local. */
const openingFrame = 'retry: 1000\n\n';

/** A comment, which clients ignore. */
export const heartbeatFrame = ': \n\n';

interface EventStreamOptions {
  /** Ends all streams. */
  closing: AbortSignal;
  /** Maximum time between two writes. A client that reads nothing for twice this time is disconnected. */
  heartbeatMs: number;
  log: Logger;
}

/** Upper bound of the heartbeat: proxies and programs give up on a silent stream earlier than on a synchronous call. */
const longestSilenceMs = 15_000;

/** How long a stopping service waits until a client has read the data already sent. */
const closeGraceMs = 100;

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Turns off buffering in proxies, which would delay events.
  'x-accel-buffering': 'no',
} as const;

/** Answers with a stream of events. Returns null for a HEAD request. */
export function openEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  options: EventStreamOptions,
): EventStream | null {
  request.isLasting = true;
  reply.hijack();
  reply.raw.writeHead(200, streamHeaders);
  if (request.method !== 'HEAD') return new EventStream(request, reply.raw, options);
  reply.raw.end();
  return null;
}

/** A stream that lasts as long as its client is connected. It buffers no events for a client that does not read. */
export class EventStream {
  /** The text to send after `heartbeatMs` without an event. */
  heartbeat = (): string => heartbeatFrame;
  readonly #raw: ServerResponse;
  readonly #log: Logger;
  readonly #over = new AbortController();
  readonly #heartbeatMs: number;
  readonly #beat: NodeJS.Timeout;
  #drained: Promise<void> | null = null;

  constructor({ socket }: FastifyRequest, raw: ServerResponse, options: EventStreamOptions) {
    this.#raw = raw;
    this.#log = options.log;
    this.#heartbeatMs = Math.min(options.heartbeatMs, longestSilenceMs);
    this.#beat = setInterval(() => {
      // A client that has not read the data already sent needs no heartbeat.
      if (this.#drained === null) void this.send(this.heartbeat());
    }, this.#heartbeatMs);
    const over = () => this.#over.abort();
    // Recent events, such as the end of the last run, are still being sent to this client. Close after them.
    const cut = () =>
      setImmediate(() => {
        if (this.signal.aborted) return;
        this.#over.abort();
        this.#endWithin(closeGraceMs);
      });
    raw.once('close', over);
    // The response to a pipelined request gets no `close` event until its turn comes.
    socket.once('close', over);
    options.closing.addEventListener('abort', cut, { once: true });
    this.signal.addEventListener('abort', () => {
      clearInterval(this.#beat);
      raw.off('close', over);
      socket.off('close', over);
      options.closing.removeEventListener('abort', cut);
    });
    raw.write(openingFrame);
    if (socket.destroyed) over();
    if (options.closing.aborted) cut();
  }

  /** Aborted when the stream has ended or its client has disconnected. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves when the client can take more, or when the stream has ended. */
  async send(text: string): Promise<void> {
    if (this.signal.aborted) return;
    this.#beat.refresh();
    if (this.#raw.write(text)) return;
    this.#drained ??= this.#whenDrained();
    await this.#drained;
  }

  /** Ends the stream after the last event. */
  finish(): void {
    if (this.signal.aborted) return;
    this.#over.abort();
    this.#endWithin(2 * this.#heartbeatMs);
  }

  /** Gives the client this long to read the data already sent, then disconnects it. It can resume later. */
  #endWithin(ms: number): void {
    const stuck = setTimeout(() => this.#raw.destroy(), ms);
    this.#raw.once('close', () => clearTimeout(stuck));
    this.#raw.end();
  }

  /** Ends the stream because of an internal error. The client sees a connection error. */
  fail(error: unknown): void {
    this.#log.error({ err: error }, 'event stream failed: internal error');
    this.#over.abort();
    this.#raw.destroy();
  }

  #whenDrained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(stuck);
        this.#raw.off('drain', done);
        this.signal.removeEventListener('abort', done);
        this.#drained = null;
        resolve();
      };
      const stuck = setTimeout(() => {
        this.#log.info({ ms: 2 * this.#heartbeatMs }, 'closed an event stream: the client does not read');
        this.#over.abort();
        this.#raw.destroy();
      }, 2 * this.#heartbeatMs);
      this.#raw.once('drain', done);
      this.signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** The id of the last event that a client received: from the header Last-Event-ID, else from the query field `since`. */
export function readLastEventId({ headers, query }: FastifyRequest): string | null {
  // When a browser reconnects, the address still has the old `since`, and the header has the current position.
  const id = headers['last-event-id'] ?? Reflect.get(Object(query), 'since') ?? '';
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
    {
      hint: { en: 'Omit it to receive new events only.', zh: '省略则只接收新的事件。' },
      fields: ['since'],
    },
  );
}
