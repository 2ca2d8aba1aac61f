import type { EventFrame } from '../contract/event-frames.ts';
import { type Answer, type Call, Connection, type ConnectionOptions } from './connection.ts';
import { HobError } from './errors.ts';
import type { Run, ScriptDetail, ScriptList, ServiceEvent } from './types.ts';

/** The inputs and the result of a script. `hob types` writes such a type for a script. */
export interface ScriptTypes {
  data: unknown;
  params: object;
  result: object;
}

/** A script of unknown types. */
export interface AnyScript extends ScriptTypes {
  data: Readonly<Record<string, unknown>> | readonly unknown[] | string;
  params: Readonly<Record<string, unknown>>;
  result: Record<string, unknown>;
}

export interface StartOptions<Types extends ScriptTypes = AnyScript> {
  /** Values of the main input: an array, or an object keyed by its name. */
  readonly data?: Types['data'] | undefined;
  readonly params?: Types['params'] | undefined;
  /** Default: a new one. Starting with the same key again returns the same run. */
  readonly idempotencyKey?: string | undefined;
}

export interface RunOptions<Types extends ScriptTypes = AnyScript> extends StartOptions<Types> {
  /** Cancels the run. The promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface StopOptions {
  /** Stops waiting. The run continues. */
  readonly signal?: AbortSignal | undefined;
}

/** The record of a run whose result has a known type. */
export type RunOf<Types extends ScriptTypes> = Omit<Run, 'result'> & {
  /** The envelope; null until the run ends. */
  result: ({ code: number; msg: string } & Types['result']) | null;
};

/** An event with the id from which a stream resumes. */
export type StreamEvent = ServiceEvent & { readonly id: string };

/** Output of a run, in the order of its stream. Each byte comes once. */
export type OutputChunk = {
  readonly stream: 'stdout' | 'stderr';
  /** The position of the first byte in its stream. */
  readonly offset: number;
  /** The exact bytes; empty for a gap. */
  readonly bytes: Uint8Array;
  /** The same as a text; never split inside a character. */
  readonly text: string;
  /** The number of bytes that Hob did not keep in this place; otherwise 0. */
  readonly missing: number;
};

export interface RequestOptions extends StopOptions {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the request may be sent again if the connection breaks. Default: not for POST and PATCH. */
  readonly isRepeatable?: boolean | undefined;
  /** How long the request is repeated while the service does not respond. Default: as long as the client says. */
  readonly patienceMs?: number | undefined;
  /** How long one attempt may take. Default: no limit. */
  readonly limitMs?: number | undefined;
  /** `throw` does not repeat a request that is refused with `Retry-After`. `return`, for `open`, returns the refused response. Default: `repeat`. */
  readonly refusal?: 'repeat' | 'throw' | 'return' | undefined;
}

/** How long one request waits for the end of a run. */
const waitS = 60;

/** Calls a service of Hob. */
export class Client<Reply extends Answer = Response> {
  readonly #connection: Connection<Reply>;
  readonly #isInsideRun: boolean;

  constructor({ isInsideRun, ...options }: ConnectionOptions<Reply> & { readonly isInsideRun: boolean }) {
    this.#connection = new Connection(options);
    this.#isInsideRun = isInsideRun;
  }

  /** Runs a script, by its id or slug, and waits for its end. A script that fails is a result and not an error: see `state` and `result`. */
  async run<Types extends ScriptTypes = AnyScript>(
    script: string,
    { signal, idempotencyKey = crypto.randomUUID(), ...values }: RunOptions<Types> = {},
  ): Promise<RunOf<Types>> {
    signal?.throwIfAborted();
    const options = { ...values, idempotencyKey };
    let run: RunHandle<Types> | null = null;
    let isLost = false;
    const onLost = () => {
      isLost = true;
    };
    try {
      run = await this.#start<Types>(script, options, { signal, onLost });
      return await run.wait({ signal });
    } catch (error) {
      if (!signal?.aborted) throw error;
      try {
        // The same key finds a run that was accepted although its answer did not arrive.
        if (isLost) run ??= await this.start<Types>(script, options);
        await run?.cancel();
      } catch {
        // The caller expects the reason of the signal.
      }
      throw signal.reason;
    }
  }

  /** Starts a run and does not wait for its end. The request is repeated if the service goes away; the script starts once. */
  async start<Types extends ScriptTypes = AnyScript>(
    script: string,
    options: StartOptions<Types> = {},
  ): Promise<RunHandle<Types>> {
    return this.#start(script, options, {});
  }

  async #start<Types extends ScriptTypes>(
    script: string,
    { data, params, idempotencyKey = crypto.randomUUID() }: StartOptions<Types>,
    call: Pick<Call, 'signal' | 'onLost'>,
  ): Promise<RunHandle<Types>> {
    // The service would not know the parent of the run, so a script that calls itself could wait for its own slot.
    if (this.#isInsideRun)
      throw new HobError('A script cannot start the scripts of its own Hob with hob/client.', {
        code: 'inside-run',
        hint: "Link the script instead: import { run } from 'hob'; await run().link(id, { data, params })",
      });
    const values = typeof data === 'string' ? [data] : data;
    const request: Call = {
      ...call,
      method: 'POST',
      body: { data: values, params },
      // A run with this origin opens no window: this program shows the output.
      headers: { 'idempotency-key': idempotencyKey, 'x-hob-origin': 'cli' },
      isRepeatable: true,
    };
    const path = `${pathOf('script', script)}/runs`;
    const { run_id } = await this.#connection.ask(path, request, readJson<Run>);
    return new RunHandle(run_id, this, this.#connection);
  }

  /** A run that was started before, by anyone. */
  attach<Types extends ScriptTypes = AnyScript>(runId: string): RunHandle<Types> {
    return new RunHandle(runId, this, this.#connection);
  }

  /** All scripts, and the problems of manifests. */
  scripts(options: StopOptions = {}): Promise<ScriptList> {
    return this.request('GET', '/api/scripts', options);
  }

  async script(id: string, options: StopOptions = {}): Promise<ScriptDetail> {
    return this.request('GET', pathOf('script', id), options);
  }

  /** Events of all runs, models, packages and scripts, until the signal is aborted. Without `since`: from now on. */
  async *events({
    types,
    since,
    signal,
  }: StopOptions & { types?: readonly ServiceEvent['type'][]; since?: string } = {}): AsyncGenerator<
    StreamEvent,
    void,
    undefined
  > {
    const query = types === undefined ? '' : `?types=${types.join(',')}`;
    for await (const frame of this.#connection.events(`/api/events${query}`, { since, signal }))
      if (frame.type !== '') yield eventOf(frame);
  }

  /** Sends any request to the service, and returns the JSON of the answer. */
  request<Result>(method: string, path: string, options: RequestOptions = {}): Promise<Result> {
    return this.#connection.ask<Result>(path, { ...options, method }, readJson);
  }

  /** Sends any request, and returns the response as soon as it begins: for an answer that is not JSON, or that is streamed. */
  open(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.#connection.open(path, { ...options, method });
  }
}

/** A run that was started. */
export class RunHandle<Types extends ScriptTypes = AnyScript> {
  readonly id: string;
  readonly #path: string;
  readonly #client: Client<Answer>;
  readonly #connection: Connection<Answer>;

  constructor(id: string, client: Client<Answer>, connection: Connection<Answer>) {
    this.id = id;
    this.#path = pathOf('run', id);
    this.#client = client;
    this.#connection = connection;
  }

  /** The record of the run as it is now. */
  get(options: StopOptions = {}): Promise<RunOf<Types>> {
    return this.#client.request('GET', this.#path, options);
  }

  /** Waits for the end of the run. */
  async wait(options: StopOptions = {}): Promise<RunOf<Types>> {
    for (;;) {
      const run = await this.#client.request<RunOf<Types>>('GET', `${this.#path}?wait=${waitS}`, options);
      if (run.ended_at !== null) return run;
    }
  }

  /** The output from its beginning to the end of the run. A broken connection continues at the next byte. */
  async *output({
    stream,
    signal,
  }: StopOptions & { /** Absent: both. */ stream?: OutputChunk['stream'] } = {}): AsyncGenerator<
    OutputChunk,
    void,
    undefined
  > {
    for await (const event of this.events({ signal })) {
      if (event.type !== 'run.output' || (stream !== undefined && event.data.stream !== stream)) continue;
      const { stream: own, offset, text = '', missing = 0 } = event.data;
      yield { stream: own, offset, text, missing, bytes: bytesOf(event.data) };
    }
  }

  /** The events of the run, including its output, until it ends. `since`: the id of the last event received. */
  async *events({
    since = '0-0',
    signal,
    patienceMs,
  }: StopOptions & { since?: string; patienceMs?: number } = {}): AsyncGenerator<
    StreamEvent,
    void,
    undefined
  > {
    const path = `${this.#path}/events`;
    for await (const frame of this.#connection.events(path, { since, signal, patienceMs })) {
      if (frame.type === '') continue;
      const event = eventOf(frame);
      yield event;
      if (event.type === 'run.ended') return;
    }
  }

  /** Stops the run. False: it had ended already. */
  async cancel(options: StopOptions = {}): Promise<boolean> {
    try {
      await this.#client.request('POST', `${this.#path}/cancel`, { ...options, isRepeatable: true });
      return true;
    } catch (error) {
      if (error instanceof HobError && error.code === 'run-ended') return false;
      throw error;
    }
  }
}

function pathOf(kind: 'script' | 'run', id: string): string {
  // A URL does not keep these parts of a path, so the request would reach another path.
  if (['', '.', '..'].includes(id))
    throw new HobError(`No ${kind} has the id "${id}".`, { code: `${kind}-unknown` });
  return `/api/${kind}s/${encodeURIComponent(id)}`;
}

async function readJson<Result>(response: Answer): Promise<Result> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HobError(`The answer of ${response.url} is not JSON, so it does not come from Hob.`, {
      code: 'not-hob',
      status: response.status,
      cause,
    });
  }
}

/** The service and this client are released together, so the data has the type that the event names. */
export function eventOf(frame: EventFrame): StreamEvent {
  return frame as StreamEvent;
}

const encoder = new TextEncoder();

/** The exact bytes of a piece of output. Only text that is not valid UTF-8 comes as base64. */
export function bytesOf({
  text = '',
  base64,
}: Extract<StreamEvent, { type: 'run.output' }>['data']): Uint8Array {
  return base64 === undefined ? encoder.encode(text) : decode(base64);
}

function decode(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
