import { type ClientRequest, get, type IncomingMessage } from 'node:http';

import { setTimeout as pause } from 'node:timers/promises';

import { onTestFinished } from 'vitest';

export interface SeenEvent {
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** A client of an event stream, as the standard describes one. It counts the comments that it skips. */
export class EventClient {
  readonly events: SeenEvent[] = [];
  /** The last id received, also from a block without an event. A client resumes from it. */
  lastId = '';
  comments = 0;
  retryMs: number | null = null;
  status = 0;
  headers: IncomingMessage['headers'] = {};
  /** Resolves when the response is over: true if it ended cleanly. */
  readonly closed: Promise<boolean>;
  readonly #request: ClientRequest;
  #response: IncomingMessage | null = null;
  #unfinished = '';
  #isOver = false;
  #wake: (() => void)[] = [];

  constructor(url: string, lastEventId: string | null = null) {
    this.lastId = lastEventId ?? '';
    this.#request = get(url, {
      agent: false,
      headers: { accept: 'text/event-stream', ...(lastEventId !== null && { 'last-event-id': lastEventId }) },
    });
    this.closed = new Promise((resolve) => {
      const over = (inOrder: boolean) => {
        this.#isOver = true;
        this.#changed();
        resolve(inOrder);
      };
      this.#request.once('error', () => over(false));
      this.#request.once('response', (response) => {
        this.#response = response;
        this.status = response.statusCode ?? 0;
        this.headers = response.headers;
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => this.#take(chunk));
        response.once('error', () => {});
        response.once('close', () => over(response.complete));
        this.#changed();
      });
    });
  }

  /** Stops reading from the socket. */
  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  close(): void {
    this.#request.destroy();
  }

  /** Waits until `holds` is true for the events received so far. */
  async until(what: string, holds: (client: this) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.#isOver) throw new Error(`the stream ended before ${what}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  async opened(): Promise<this> {
    await this.until('it was answered', () => this.status !== 0);
    return this;
  }

  ofRun(runId: string): SeenEvent[] {
    return this.events.filter(({ data }) => data.run_id === runId);
  }

  #changed(): void {
    for (const resolve of this.#wake.splice(0)) resolve();
  }

  #take(chunk: string): void {
    const blocks = (this.#unfinished + chunk).split('\n\n');
    this.#unfinished = blocks.pop() ?? '';
    for (const block of blocks) this.#read(block);
    this.#changed();
  }

  #read(block: string): void {
    let type = 'message';
    const text: string[] = [];
    for (const line of block.split(/\r\n|\n|\r/)) {
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
      if (field === '') this.comments += line === '' ? 0 : 1;
      else if (field === 'id') this.lastId = value;
      else if (field === 'event') type = value;
      else if (field === 'data') text.push(value);
      else if (field === 'retry') this.retryMs = Number(value);
      else throw new Error(`unexpected line: ${line}`);
    }
    if (text.length === 0) return;
    this.events.push({
      id: this.lastId,
      type,
      text: text.join('\n'),
      data: JSON.parse(text.join('\n')),
    });
  }
}

/** Opens a stream and closes it when the test ends. */
export function listenTo(url: string, lastEventId: string | null = null): Promise<EventClient> {
  const client = new EventClient(url, lastEventId);
  onTestFinished(() => client.close());
  return client.opened();
}

/** Follows a service that restarts: it reconnects and resumes after the last event. */
export class EventFollower {
  readonly #clients: EventClient[] = [];
  readonly #following: Promise<void>;
  #isDone = false;

  constructor(urlOf: () => string, lastId: string) {
    this.#following = this.#follow(urlOf, lastId);
  }

  /** All events, in the order of arrival. */
  get events(): SeenEvent[] {
    return this.#clients.flatMap((client) => client.events);
  }

  /** How many connections were answered. */
  get connections(): number {
    return this.#clients.filter(({ status }) => status !== 0).length;
  }

  /** Whether the stream of a single run is over: its last event was the end of the run. */
  get hasEnded(): boolean {
    return this.#clients.some(({ events }) => events.at(-1)?.id.endsWith('-ended'));
  }

  /** Breaks the connection. */
  cut(): void {
    this.#clients.at(-1)?.close();
  }

  async stop(): Promise<void> {
    this.#isDone = true;
    this.#clients.at(-1)?.close();
    await this.#following;
  }

  async #follow(urlOf: () => string, start: string): Promise<void> {
    let lastId = start;
    while (!this.#isDone) {
      const client = new EventClient(urlOf(), lastId);
      this.#clients.push(client);
      await client.closed;
      lastId = client.lastId;
      // A service that was just killed refuses connections until its successor listens.
      if (client.status === 0) await pause(reconnectMs);
    }
  }
}

const reconnectMs = 20;

/**
 * Errors in the events of runs. Each run must be queued, started (unless it never did) and ended, in this order and once each,
 * and ids must ascend.
 */
export function findFaults(events: readonly SeenEvent[]): string[] {
  const faults: string[] = [];
  const types = new Map<string, string[]>();
  const endings = new Map<string, Record<string, unknown>>();
  let lastId = 0;
  for (const { id, type, data } of events) {
    if (Number(id) <= lastId) faults.push(`${id} came after ${lastId}`);
    lastId = Number(id);
    if (type === 'events.missed') faults.push(`missed after ${lastId}`);
    if (!type.startsWith('run.') || type === 'run.progress') continue;
    const runId = String(data.run_id);
    types.set(runId, [...(types.get(runId) ?? []), type.slice('run.'.length)]);
    if (type === 'run.ended') endings.set(runId, data);
  }
  for (const [runId, received] of types) {
    const didStart = endings.get(runId)?.started_at !== null;
    const right = didStart ? 'queued started ended' : 'queued ended';
    if (received.join(' ') !== right) faults.push(`${runId}: ${received.join(' ')}, not ${right}`);
  }
  return faults;
}
