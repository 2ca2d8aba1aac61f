import { setTimeout as wait } from 'node:timers/promises';

import type { Json } from '../../shared/json.ts';
import { tr } from '../language.ts';
import {
  answeredId,
  type ClientMessage,
  errorCodes,
  errorLine,
  idKey,
  oneLine,
  readClientMessage,
  statelessHeaders,
} from './json-rpc.ts';
import { relay } from './relay.ts';
import { LostError, type ServiceLink } from './service-link.ts';
import { Session } from './session.ts';

const notFound = 404;
/** How long open requests may take after the client has left. */
const lastAnswersMs = 1000;
const deleteMs = 400;
/** How long a cancellation waits until the request that it cancels has arrived. */
const arrivalMs = 500;

/** A message whose answer is not complete. */
interface Exchange {
  readonly message: ClientMessage;
  readonly unanswered: Map<string, Json>;
  readonly isStateless: boolean;
  readonly aborter: AbortController;
  /** Resolves when the service has received the message. */
  readonly arrived: Promise<void>;
  markArrived(): void;
}

export interface Output {
  /** Writes a line, and resolves when the client can take another one. */
  write(line: string): Promise<void>;
  warn(text: string): void;
}

/** Passes messages between a client on stdin and stdout and the service. */
export class McpProxy {
  readonly #link: ServiceLink;
  readonly #output: Output;
  readonly #open = new Map<string, Exchange>();
  readonly #tasks = new Map<Promise<void>, ClientMessage>();
  #session: Session | null = null;
  /** The version of the last stateless request, which holds for notifications that state none. Null in a session. */
  #version: string | null = null;
  /** Resolves when the last message that begins a session is answered. Later messages need the session. */
  #begun: Promise<void> = Promise.resolve();

  constructor(link: ServiceLink, output: Output) {
    this.#link = link;
    this.#output = output;
  }

  /** Takes a line from the client. Its answers are written when they arrive, in any order. */
  take(bytes: Uint8Array): void {
    const message = readClientMessage(bytes);
    if ('refusal' in message) void this.#output.write(message.refusal);
    else this.#track(message, this.#handle(message));
  }

  refuseLongLine(): void {
    const text = tr('The message is larger than 10 MB.', '消息超过 10 MB。');
    void this.#output.write(errorLine(null, errorCodes.invalidRequest, text));
  }

  /** Waits briefly for open requests, unless `isUrgent`, and ends the session. */
  async close({ isUrgent }: { isUrgent: boolean }): Promise<void> {
    const finite = [...this.#tasks]
      .filter(([, { method }]) => method !== 'subscriptions/listen')
      .map(([task]) => task);
    if (!isUrgent) await Promise.race([Promise.all(finite), wait(lastAnswersMs, undefined, { ref: false })]);
    for (const { aborter } of this.#open.values()) aborter.abort();
    await this.#session?.delete(AbortSignal.timeout(deleteMs)).catch(() => {});
  }

  #track(message: ClientMessage, task: Promise<void>): void {
    const tracked = task.finally(() => this.#tasks.delete(tracked));
    this.#tasks.set(tracked, message);
    if (message.method === 'initialize' || message.method === 'notifications/initialized')
      this.#begun = tracked;
  }

  async #handle(message: ClientMessage): Promise<void> {
    if (message.version !== null || begins(message)) this.#version = message.version;
    const exchange = this.#begin(message);
    try {
      if (message.method === 'notifications/cancelled') await this.#cancel(message, exchange);
      else await this.#send(message, exchange);
    } catch (error) {
      await this.#fail(exchange, error);
    } finally {
      exchange.markArrived();
      for (const id of message.ids) this.#open.delete(idKey(id));
    }
  }

  #begin(message: ClientMessage): Exchange {
    const { promise: arrived, resolve: markArrived } = withResolver();
    const exchange: Exchange = {
      message,
      unanswered: new Map(message.ids.map((id) => [idKey(id), id])),
      isStateless: this.#version !== null,
      aborter: new AbortController(),
      arrived,
      markArrived,
    };
    for (const id of message.ids) this.#open.set(idKey(id), exchange);
    return exchange;
  }

  /** A stateless request is cancelled by the end of its HTTP request; a request of a session by the message. */
  async #cancel(message: ClientMessage, exchange: Exchange): Promise<void> {
    const target = this.#open.get(idKey(message.params.requestId));
    if (target === undefined) {
      if (!exchange.isStateless) await this.#send(message, exchange);
      return;
    }
    target.unanswered.clear();
    if (!target.isStateless) {
      // Two connections have no order: the cancellation must not arrive before the request.
      await Promise.race([target.arrived, wait(arrivalMs, undefined, { ref: false })]);
      await this.#send(message, exchange);
    }
    target.aborter.abort();
  }

  async #send(message: ClientMessage, exchange: Exchange): Promise<void> {
    if (exchange.isStateless)
      return this.#post(exchange, statelessHeaders(message, message.version ?? this.#version ?? ''));
    await this.#begun;
    exchange.aborter.signal.throwIfAborted();
    if (begins(message)) return this.#beginSession(exchange);
    const session = this.#session;
    await this.#post(exchange, session?.headers() ?? {}, session);
    if (message.method === 'notifications/initialized') session?.confirm(message);
  }

  async #beginSession(exchange: Exchange): Promise<void> {
    this.#session?.end();
    const session = new Session(this.#link, exchange.message, (text) => this.#output.write(oneLine(text)));
    this.#session = session;
    await this.#post(exchange, {}, session);
  }

  /** Sends a message and writes the answers. */
  async #post(
    exchange: Exchange,
    headers: Readonly<Record<string, string>>,
    session: Session | null = null,
  ): Promise<void> {
    const { message, unanswered, aborter, markArrived } = exchange;
    const sessionId = headers['mcp-session-id'];
    const answer = await this.#link.open('POST', { headers, signal: aborter.signal }, message.bytes);
    markArrived();
    if (answer.status === notFound && sessionId !== undefined && session !== null) {
      answer.incoming.resume();
      await session.renew(sessionId);
      // Sent again once: the id of the session has changed, and a second refusal is an answer.
      if (session.id !== sessionId) return this.#post(exchange, session.headers());
    }
    const newId = answer.headers.get('mcp-session-id');
    const refusal = await relay(answer, async (text, received) => {
      const id = answeredId(received);
      if (begins(message)) session?.begin(newId, received);
      // The answer to a cancelled request is not expected any more.
      if (id !== undefined && !unanswered.delete(idKey(id)) && message.ids.length > 0) return;
      await this.#output.write(oneLine(text));
    });
    if (refusal === null) return this.#answerAll(exchange, errorCodes.internal, noAnswer());
    if (message.ids.length === 0) this.#output.warn(refusal.text);
    await this.#answerAll(exchange, refusal.code ?? errorCodes.internal, refusal.text);
  }

  async #fail(exchange: Exchange, error: unknown): Promise<void> {
    // Cancelled, or the client has left.
    if (exchange.aborter.signal.aborted) return;
    const isLost = error instanceof LostError;
    const text = isLost ? connectionLost(exchange.message) : this.#link.explain(error);
    if (exchange.message.ids.length === 0) this.#output.warn(text);
    await this.#answerAll(exchange, errorCodes.internal, text);
  }

  async #answerAll({ unanswered }: Exchange, code: number, text: string): Promise<void> {
    const ids = [...unanswered.values()];
    unanswered.clear();
    for (const id of ids) await this.#output.write(errorLine(id, code, text));
  }
}

function begins({ method, version }: ClientMessage): boolean {
  return method === 'initialize' && version === null;
}

function connectionLost({ method }: ClientMessage): string {
  const lost = tr('The connection to Hob was lost.', '与 Hob 的连接已断开。');
  const runs = tr(
    'A run that was started continues. To find it, call hob_runs.',
    '已启动的运行会继续，可调用 hob_runs 查找。',
  );
  return method === 'tools/call' ? `${lost} ${runs}` : lost;
}

function noAnswer(): string {
  return tr('Hob ended the connection without an answer.', 'Hob 未作回答就结束了连接。');
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
