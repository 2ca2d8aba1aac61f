import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { EventsAnswer, EventsHeaders, NothingMore, RunEventsQuery } from '../../contract/events.ts';
import type { RunOutputs, StreamName } from '../../runs/output/run-outputs.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import type { AppDependencies } from '../dependencies.ts';
import { eventFrame } from '../events/event-frames.ts';
import { malformedEventId, readLastEventId } from '../events/event-query.ts';
import { type EventStream, openEventStream } from '../events/event-stream.ts';
import { OutputText } from '../events/output-text.ts';
import { RunWatch } from '../events/run-watch.ts';
import { checkQuery } from '../query-fields.ts';

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
      const data = JSON.stringify({ run_id: this.#runId, stream, ...fields });
      await this.#stream.send(eventFrame(this.#place(), 'run.output', data));
    }
  }

  #place(): string {
    return `${this.#sent.stdout}-${this.#sent.stderr}`;
  }
}
