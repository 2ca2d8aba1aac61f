import type { ServerResponse } from 'node:http';

import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Logger } from '../../shared/log.ts';
import { heartbeatFrame, openingFrame } from './event-frames.ts';

export interface EventStreamOptions {
  /** Ends all streams. */
  closing: AbortSignal;
  /** A client hears something at least this often; one that takes nothing for twice as long is dropped. */
  heartbeatMs: number;
  log: Logger;
}

/** Proxies and programs give up on silence sooner than they do on a synchronous call, whatever the setting for those is. */
const longestSilenceMs = 15_000;

/** How long a stopping service waits for a client to take what was sent. */
const partingMs = 100;

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that collects what it passes on would hold events back.
  'x-accel-buffering': 'no',
} as const;

/** Answers with a stream of events; null when only the headers were asked for. */
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

/** An answer that goes on as long as its client listens. Nothing is kept for a client that does not take what was sent. */
export class EventStream {
  /** Sent when nothing else was for a while. */
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
      // Who has not taken what was sent is not waiting for a sign of life.
      if (this.#drained === null) void this.send(this.heartbeat());
    }, this.#heartbeatMs);
    const over = () => this.#over.abort();
    // What has just happened, such as the end of the last run, is on its way to this client, and goes first.
    const cut = () =>
      setImmediate(() => {
        if (this.signal.aborted) return;
        this.#over.abort();
        this.#endWithin(partingMs);
      });
    raw.once('close', over);
    // The answer to a pipelined request hears nothing of the connection until its turn has come.
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

  /** Aborted when nobody listens any more. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves when there is room for more, or nobody left to send it to. */
  async send(text: string): Promise<void> {
    if (this.signal.aborted) return;
    this.#beat.refresh();
    if (this.#raw.write(text)) return;
    this.#drained ??= this.#whenDrained();
    await this.#drained;
  }

  /** There is nothing more to tell. */
  finish(): void {
    if (this.signal.aborted) return;
    this.#over.abort();
    this.#endWithin(2 * this.#heartbeatMs);
  }

  /** Who has not taken what was sent before gets a moment for it, and can resume. */
  #endWithin(ms: number): void {
    const stuck = setTimeout(() => this.#raw.destroy(), ms);
    this.#raw.once('close', () => clearTimeout(stuck));
    this.#raw.end();
  }

  /** Ends it because of a defect, which the client sees as a broken connection. */
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
