import { setTimeout as wait } from 'node:timers/promises';

import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { answeredId, type ClientMessage, idKey } from './json-rpc.ts';
import { type OnMessage, relay } from './relay.ts';
import type { ServiceLink } from './service-link.ts';

const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** A stream that stays open for this time works. */
const steadyMs = 5000;
const pauseGrowth = 2;
const methodNotAllowed = 405;
const notFound = 404;

/**
 * A session of the protocol versions before 2026-07-28. The service forgets its sessions when it restarts. The session is then begun again
 * without the client, with the messages that began it.
 */
export class Session {
  readonly #link: ServiceLink;
  readonly #initialize: ClientMessage;
  readonly #write: (text: string) => Promise<void>;
  readonly #ended = new AbortController();
  #initialized: ClientMessage | null = null;
  #id: string | null = null;
  #version: string | null = null;
  #lists: readonly string[] = [];
  #renewal: Promise<void> | null = null;
  #isListening = false;

  constructor(link: ServiceLink, initialize: ClientMessage, write: (text: string) => Promise<void>) {
    this.#link = link;
    this.#initialize = initialize;
    this.#write = write;
  }

  get id(): string | null {
    return this.#id;
  }

  headers(): Record<string, string> {
    return {
      ...(this.#id !== null && { 'mcp-session-id': this.#id }),
      ...(this.#version !== null && { 'mcp-protocol-version': this.#version }),
    };
  }

  /** Reads what the service decided about the session, from its answer to `initialize`. */
  begin(sessionId: string | null | undefined, answer: JsonObject): void {
    if (answeredId(answer) === undefined || !isJsonObject(answer.result)) return;
    const { protocolVersion, capabilities } = answer.result;
    this.#id = sessionId ?? null;
    this.#version = typeof protocolVersion === 'string' ? protocolVersion : null;
    const offered = isJsonObject(capabilities) ? Object.entries(capabilities) : [];
    this.#lists = offered
      .filter(([, offer]) => isJsonObject(offer) && offer.listChanged === true)
      .map(([name]) => name);
  }

  /** The client is ready: from now on, the service may send messages at any time. */
  confirm(initialized: ClientMessage): void {
    this.#initialized = initialized;
    if (this.#isListening) return;
    this.#isListening = true;
    void this.#listen();
  }

  /** Begins the session again, unless another message has already noticed that it is gone. */
  async renew(goneId: string): Promise<void> {
    if (this.#id !== goneId) return;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    await this.#renewal;
  }

  async #renew(): Promise<void> {
    const { signal } = this.#ended;
    const answer = await this.#link.open('POST', { headers: {}, signal }, this.#initialize.bytes);
    const sessionId = answer.headers.get('mcp-session-id');
    const [id] = this.#initialize.ids;
    let isAccepted = false;
    const refusal = await relay(answer, async (_, message) => {
      if (idKey(answeredId(message)) !== idKey(id) || !('result' in message)) return;
      this.begin(sessionId, message);
      isAccepted = true;
    });
    if (!isAccepted) throw new Error(refusal?.text ?? 'The service did not begin the session again.');
    if (this.#initialized === null) return;
    const confirmed = await this.#link.open(
      'POST',
      { headers: this.headers(), signal },
      this.#initialized.bytes,
    );
    await relay(confirmed, async () => {});
    // The service may have other tools now. It announces only the changes after its start.
    for (const list of this.#lists)
      await this.#write(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }));
  }

  /** Passes on what the service sends without a request. */
  async #listen(): Promise<void> {
    const { signal } = this.#ended;
    const pass: OnMessage = (text) => this.#write(text);
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      const openedAt = performance.now();
      const sessionId = this.#id;
      try {
        const answer = await this.#link.open('GET', { headers: this.headers(), signal });
        const { status } = answer;
        await relay(answer, pass);
        if (status === methodNotAllowed) return;
        if (status === notFound && sessionId !== null) await this.renew(sessionId);
      } catch {
        // The service is away. The next message of the client reports that, if it lasts.
      }
      if (performance.now() - openedAt >= steadyMs) pauseMs = firstPauseMs;
      await wait(pauseMs, undefined, { signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * pauseGrowth, longestPauseMs);
    }
  }

  /** Stops listening. */
  end(): void {
    this.#ended.abort();
  }

  /** Tells the service that the client has left. */
  async delete(signal: AbortSignal): Promise<void> {
    this.end();
    if (this.#id === null) return;
    const answer = await this.#link.open('DELETE', { headers: this.headers(), signal });
    answer.incoming.resume();
  }
}
