import type { FastifyInstance } from 'fastify';

import type { RunOutputs, StreamName } from '../../runs/output/run-outputs.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import type { AppDependencies } from '../dependencies.ts';
import { eventFrame } from '../events/event-frames.ts';
import { malformedEventId, readLastEventId } from '../events/event-query.ts';
import { type EventStream, openEventStream } from '../events/event-stream.ts';
import { OutputText } from '../events/output-text.ts';
import { RunWatch } from '../events/run-watch.ts';
import { checkQuery } from '../query-fields.ts';
import { LaterError } from '../wire/common.ts';
import { EventsAnswer, EventsHeaders, NothingMore, RunEventsQuery } from '../wire/events.ts';

export function addRunEventRoute(app: FastifyInstance, dependencies: AppDependencies): void {
  const { runs, outputs } = dependencies;
  const schema = {
    summary: 'Stream the events of a run',
    description:
      'Sends the state, output, progress and end of a run as they happen (server-sent events). With `Last-Event-ID` or `since`, the output resumes at that point.',
    querystring: RunEventsQuery,
    headers: EventsHeaders,
    response: { 200: EventsAnswer, 204: NothingMore, '4xx': LaterError, '5xx': LaterError },
  };
  app.get<{ Params: { id: string } }>('/api/runs/:id/events', { schema }, async (request, reply) => {
    const found = runs.getBrief(request.params.id);
    reply.raw.setHeader('x-hob-run-id', found.runId);
    checkQuery(request.query, RunEventsQuery);
    const place = readPlace(readLastEventId(request));
    if (!(await isPlaceOf(found, place, outputs))) throw malformedEventId();
    // It has heard all there is. Browsers connect again until they are told so by this status.
    if (place.isEnded) return reply.code(204).send();
    // Once more, and nothing is awaited until it is watched: it may have ended meanwhile, and that is told once.
    const run = runs.getBrief(found.runId);
    const stream = openEventStream(request, reply, dependencies);
    if (stream === null) return reply;
    const watch = new RunWatch(run, dependencies);
    try {
      await new RunTeller(run.runId, stream, watch, place).tellAll(outputs);
    } catch (error) {
      stream.fail(error);
    } finally {
      watch.close();
    }
    return reply;
  });
}

/** How much of the streams a client knows. */
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

/** Whether a client of this run can have been told of so much. */
async function isPlaceOf(
  run: BriefRun,
  { stdout, stderr, isEnded }: Place,
  outputs: RunOutputs,
): Promise<boolean> {
  if (isEnded && run.endedAt === null) return false;
  return (await outputs.reaches(run, 'stdout', stdout)) && (await outputs.reaches(run, 'stderr', stderr));
}

/** Tells one client of one run. Nothing is read before the client has room for it. */
class RunTeller {
  readonly #runId: string;
  readonly #stream: EventStream;
  readonly #watch: RunWatch;
  /** How much of the streams was told: the id of whatever is told next. */
  readonly #told: Record<StreamName, number>;

  constructor(runId: string, stream: EventStream, watch: RunWatch, { stdout, stderr }: Place) {
    this.#runId = runId;
    this.#stream = stream;
    this.#watch = watch;
    this.#told = { stdout, stderr };
  }

  async tellAll(outputs: RunOutputs): Promise<void> {
    // The streams side by side, so that neither waits for the other; the end comes after all.
    await Promise.all([
      this.#tellStates(),
      this.#tellOutput(outputs, 'stdout'),
      this.#tellOutput(outputs, 'stderr'),
    ]);
    const { ended } = this.#watch;
    if (ended === null) return;
    await this.#stream.send(eventFrame(`${this.#place()}-ended`, ended.type, ended.data));
    this.#stream.finish();
  }

  async #tellStates(): Promise<void> {
    const { signal } = this.#stream;
    while (!signal.aborted) {
      for (const { type, data } of this.#watch.takeNews())
        await this.#stream.send(eventFrame(this.#place(), type, data));
      if (this.#watch.ended !== null) return;
      await this.#watch.changed(signal);
    }
  }

  async #tellOutput(outputs: RunOutputs, stream: StreamName): Promise<void> {
    const { signal } = this.#stream;
    const from = this.#told[stream];
    const text = new OutputText(from);
    const request = { runId: this.#runId, stream, from, until: Number.POSITIVE_INFINITY };
    for await (const piece of outputs.read(request, signal)) await this.#send(stream, text.take(piece));
    await this.#send(stream, text.finish());
  }

  async #send(stream: StreamName, news: ReturnType<OutputText['take']>): Promise<void> {
    for (const { until, fields } of news) {
      if (this.#stream.signal.aborted) return;
      this.#told[stream] = until;
      const data = JSON.stringify({ run_id: this.#runId, stream, ...fields });
      await this.#stream.send(eventFrame(this.#place(), 'run.output', data));
    }
  }

  #place(): string {
    return `${this.#told.stdout}-${this.#told.stderr}`;
  }
}
