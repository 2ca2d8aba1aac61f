import { isUtf8 } from 'node:buffer';

import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';

import {
  EventsAnswer,
  EventsHeaders,
  NothingMore,
  type OutputPart,
  RunEventsQuery,
  type ServiceEvent,
} from '../../contract/events.ts';
import { ProgressAnswer, ProgressBody } from '../../contract/runs.ts';
import type { LoggedEvent } from '../../runs/event-store.ts';
import type { EventLog, Ledger } from '../../runs/ledger.ts';
import type { OutputPiece, RunOutputs, StreamName } from '../../runs/output/run-outputs.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { cutMessage } from '../../shared/cut-message.ts';
import { decodeText, partToUtf8 } from '../../shared/decode-text.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { eventData } from '../events/event-data.ts';
import {
  type EventStream,
  eventFrame,
  malformedEventId,
  openEventStream,
  readLastEventId,
} from '../events/event-stream.ts';
import { checkQuery, fieldsAtFault } from '../fields.ts';
import { bodyOf } from '../request.ts';
import { route } from '../route.ts';
import { findRun } from './run-answer.ts';

export function addRunEventRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { runs, outputs } = dependencies;
  route(app, 'GET /api/runs/:id/events', {
    operationId: 'streamRunEvents',
    tag: 'Runs',
    summary: 'Stream the events of a run',
    description:
      'Sends the state, output, progress and end of a run as they happen (server-sent events). With `Last-Event-ID` or `since`, the output resumes at that point.',
    query: RunEventsQuery,
    headers: EventsHeaders,
    answer: EventsAnswer,
    otherAnswers: { 204: NothingMore },
    async handle(request, reply) {
      const found = findRun(runs, request, reply);
      checkQuery(request.query, RunEventsQuery);
      const place = readPlace(readLastEventId(request));
      if (!(await isPlaceOf(found, place, outputs))) throw malformedEventId();
      // The client has received all events. Only status 204 stops a browser from reconnecting.
      if (place.isEnded) return reply.code(204).send();
      // Read the run again: it may have ended meanwhile. No `await` until the watch subscribes, or the end event could be missed.
      const run = runs.getBrief(found.runId);
      const stream = openEventStream(request, reply, dependencies);
      if (stream === null) return reply;
      const watch = new RunWatch(run, dependencies);
      try {
        await new RunEventSender(run.runId, stream, watch, place).sendAll(outputs);
      } catch (error) {
        stream.fail(error);
      } finally {
        watch.close();
      }
      return reply;
    },
  });

  route(app, 'POST /api/progress', {
    operationId: 'reportProgress',
    tag: 'Run scripts',
    summary: 'Report the progress of a run',
    description: 'Called by a running script through its own address, `environment.api_base`.',
    body: ProgressBody,
    examples: {
      part: { summary: 'Four of ten', body: { fraction: 0.4, message: '4 of 10 images' } },
    },
    answer: ProgressAnswer,
    async handle(request, reply) {
      const { fields } = bodyOf(request);
      if (request.caller === null) throw progressNeedsRun();
      const { runId } = request.caller;
      reply.raw.setHeader('x-hob-run-id', runId);
      if (!Value.Check(ProgressBody, fields)) throw progressInvalid(fieldsAtFault(ProgressBody, fields));
      const { fraction = null, message = null } = fields;
      if (fraction === null && message === null) throw progressInvalid(['fraction', 'message']);
      runs.report(runId, { fraction, message: message === null ? null : cutMessage(message) });
      return { status: 'success' };
    },
  });
}

/** How much of each stream a client has received. */
interface Place {
  readonly stdout: number;
  readonly stderr: number;
  readonly isEnded: boolean;
}

function readPlace(id: string | null): Place {
  const [, stdout, stderr, ended] = /^(\d{1,15})-(\d{1,15})(-ended)?$/.exec(id ?? '0-0') ?? [];
  if (stdout === undefined || stderr === undefined) throw malformedEventId();
  return { stdout: Number(stdout), stderr: Number(stderr), isEnded: ended !== undefined };
}

/** Whether a client of this run can have received this much. */
async function isPlaceOf(
  run: BriefRun,
  { stdout, stderr, isEnded }: Place,
  outputs: RunOutputs,
): Promise<boolean> {
  if (isEnded && run.endedAt === null) return false;
  return (await outputs.reaches(run, 'stdout', stdout)) && (await outputs.reaches(run, 'stderr', stderr));
}

/** Sends the events of one run to one client. Reads output only as fast as the client takes it. */
class RunEventSender {
  readonly #runId: string;
  readonly #stream: EventStream;
  readonly #watch: RunWatch;
  /** Bytes sent of each stream. Together they are the id of the next event. */
  readonly #sent: Record<StreamName, number>;

  constructor(runId: string, stream: EventStream, watch: RunWatch, { stdout, stderr }: Place) {
    this.#runId = runId;
    this.#stream = stream;
    this.#watch = watch;
    this.#sent = { stdout, stderr };
  }

  async sendAll(outputs: RunOutputs): Promise<void> {
    // Send both streams concurrently, so that neither waits for the other. The end comes last.
    await Promise.all([
      this.#sendStates(),
      this.#sendOutput(outputs, 'stdout'),
      this.#sendOutput(outputs, 'stderr'),
    ]);
    const { ended } = this.#watch;
    if (ended === null) return;
    await this.#stream.send(eventFrame(`${this.#place()}-ended`, ended.type, ended.data));
    this.#stream.finish();
  }

  async #sendStates(): Promise<void> {
    const { signal } = this.#stream;
    while (!signal.aborted) {
      for (const { type, data } of this.#watch.takeNews())
        await this.#stream.send(eventFrame(this.#place(), type, data));
      if (this.#watch.ended !== null) return;
      await this.#watch.changed(signal);
    }
  }

  async #sendOutput(outputs: RunOutputs, stream: StreamName): Promise<void> {
    const { signal } = this.#stream;
    const from = this.#sent[stream];
    const text = new OutputText(from);
    const request = { runId: this.#runId, stream, from, until: Number.POSITIVE_INFINITY };
    for await (const piece of outputs.read(request, signal)) await this.#send(stream, text.take(piece));
    await this.#send(stream, text.finish());
  }

  async #send(stream: StreamName, news: ReturnType<OutputText['take']>): Promise<void> {
    for (const { until, fields } of news) {
      if (this.#stream.signal.aborted) return;
      this.#sent[stream] = until;
      const data = eventData.output({ run_id: this.#runId, stream, ...fields });
      await this.#stream.send(eventFrame(this.#place(), 'run.output', data));
    }
  }

  #place(): string {
    return `${this.#sent.stdout}-${this.#sent.stderr}`;
  }
}

/** An event of a run other than output. */
interface RunNews {
  readonly type: Exclude<Extract<ServiceEvent['type'], `run.${string}`>, 'run.output'>;
  readonly data: string;
}

interface RunWatchOptions {
  eventLog: Pick<EventLog, 'published'>;
  ledger: Pick<Ledger, 'progressOf'>;
}

/**
 * The events of a run for one client, starting with the current state. Only the newest event of each kind is kept until the
 * client takes it, so a client that does not read uses no additional memory.
 */
export class RunWatch {
  readonly #unsubscribe: () => void;
  #state: RunNews | null = null;
  #progress: RunNews | null = null;
  #ended: RunNews | null = null;
  #wake: () => void = () => {};

  constructor(run: BriefRun, { eventLog, ledger }: RunWatchOptions) {
    const data = eventData.run(run);
    const progress = ledger.progressOf(run.runId);
    if (run.endedAt !== null) this.#ended = { type: 'run.ended', data };
    else this.#state = { type: run.state === 'queued' ? 'run.queued' : 'run.started', data };
    if (progress !== null) this.#progress = { type: 'run.progress', data: progress.data };
    // The run is recorded as running before its start event is published. Do not send the start twice.
    const isStartKnown = run.state !== 'queued';
    this.#unsubscribe = eventLog.published.subscribe((event) => {
      if (event.runId === run.runId && !(isStartKnown && event.type === 'run.started')) this.#take(event);
    });
  }

  /** The end of the run, or null. It is sent after all output. */
  get ended(): RunNews | null {
    return this.#ended;
  }

  /** Takes the pending events, in the order to send them. */
  takeNews(): RunNews[] {
    const news = [this.#state, this.#progress].filter((each) => each !== null);
    this.#state = null;
    this.#progress = null;
    return news;
  }

  /** Resolves when an event is pending, or when the signal is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    // An event may have arrived while the previous ones were being sent.
    const hasNews = this.#state !== null || this.#progress !== null || this.#ended !== null;
    if (hasNews || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        signal.removeEventListener('abort', this.#wake);
        resolve();
      };
      signal.addEventListener('abort', this.#wake, { once: true });
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  #take({ type, data }: LoggedEvent): void {
    switch (type) {
      case 'run.started':
        this.#state = { type, data };
        break;
      case 'run.progress':
        this.#progress = { type, data };
        break;
      case 'run.ended':
        this.#ended = { type, data };
        break;
      default:
        return;
    }
    this.#wake();
  }
}

/** Maximum number of output bytes in one event. */
const mostBytes = 64 * 1024;

interface OutputNews {
  /** Offset in the stream after this event. */
  readonly until: number;
  readonly fields: OutputPart;
}

/** Decodes the bytes of a stream. Never splits a character: an incomplete one waits for its remaining bytes. */
export class OutputText {
  #offset: number;
  #rest: Uint8Array = new Uint8Array();

  constructor(offset: number) {
    this.#offset = offset;
  }

  *take(piece: OutputPiece): Generator<OutputNews> {
    if ('missing' in piece) {
      yield* this.finish();
      const { offset, missing } = piece;
      this.#offset = offset + missing;
      yield { until: this.#offset, fields: { offset, missing } };
      return;
    }
    const bytes = Buffer.concat([this.#rest, piece.bytes]);
    let at = 0;
    while (at < bytes.length) {
      const part = bytes.subarray(at, at + mostBytes);
      const { usedBytes } = partToUtf8(part, 'end');
      if (usedBytes === 0) break;
      yield this.#emit(part.subarray(0, usedBytes));
      at += usedBytes;
    }
    // A copy, because a view of a few bytes would keep the whole buffer in memory.
    this.#rest = Uint8Array.from(bytes.subarray(at));
  }

  /** Emits the bytes of an incomplete character: no more bytes will follow. */
  *finish(): Generator<OutputNews> {
    if (this.#rest.length === 0) return;
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    yield this.#emit(rest);
  }

  #emit(bytes: Uint8Array): OutputNews {
    const offset = this.#offset;
    this.#offset += bytes.length;
    const exact = isUtf8(bytes) ? {} : { base64: Buffer.from(bytes).toString('base64') };
    const fields = { offset, bytes: bytes.length, text: decodeText(bytes), ...exact };
    return { until: this.#offset, fields };
  }
}

function progressNeedsRun(): AppError {
  return new AppError(
    'progress-needs-run',
    {
      en: 'This address does not identify a run, so it cannot report progress.',
      zh: '此地址未指明由哪个运行报告进度。',
    },
    {
      hint: {
        en: 'Send the request to environment.api_base of the parameter file, followed by /api/progress.',
        zh: '请将 /api/progress 接在参数文件的 environment.api_base 之后。',
      },
    },
  );
}

function progressInvalid(fields: string[]): AppError {
  return new AppError('field-invalid', {
    en: 'fraction must be a number from 0 to 1, message must be a string; at least one of them is required',
    zh: 'fraction 应为 0 到 1 的数，message 应为字符串，至少需要其中之一',
    fields,
  });
}
