import type { FastifyInstance } from 'fastify';

import { AttemptsAnswer } from '../../contract/history.ts';
import * as schemas from '../../contract/runs.ts';
import { rerunInputs } from '../../runs/inputs.ts';
import { depthOfExecute, type RunEnds } from '../../runs/run.ts';
import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { AppDependencies } from '../dependencies.ts';
import { QueryFields } from '../fields.ts';
import { bodyOf, languageOf, success, whenAnsweredOr } from '../request.ts';
import { route } from '../route.ts';
import { sendJson, toJson } from '../send-json.ts';
import { originOf, readStructured } from './execute.ts';
import { findRun, runAnswer } from './run-answer.ts';

export function addRunRoutes(
  app: FastifyInstance,
  { catalogue, runs, runEnds, runRemover, closing }: AppDependencies,
): void {
  route(app, 'GET /api/runs/:id', {
    operationId: 'getRun',
    tag: 'Runs',
    summary: 'Get a run',
    description:
      'Returns the record of a run, during the run and afterwards. With `wait`, the response waits for the end of the run.',
    query: schemas.RunQuery,
    answer: schemas.RunAnswer,
    async handle(request, reply) {
      const waitMs = readWaitMs(new QueryFields(request.query, schemas.RunQuery).text('wait'));
      let record = runs.get(request.params.id);
      reply.raw.setHeader('x-hob-run-id', record.runId);
      if (waitMs > 0 && record.endedAt === null) {
        request.isLasting = true;
        const signal = whenAnsweredOr(closing, request, reply);
        await waitForEnd(record.runId, { runEnds, waitMs, signal });
        record = runs.get(record.runId);
      }
      return sendJson(reply, runAnswer(record));
    },
  });

  route(app, 'GET /api/runs/:id/notes', {
    operationId: 'getRunNotes',
    tag: 'Runs',
    summary: 'Get the notes of a run',
    description:
      'Returns remarks of Hob about the run, for example why it had no window. They are separate from the output of the script.',
    answer: schemas.NotesAnswer,
    async handle(request, reply) {
      const { runId } = findRun(runs, request, reply);
      return reply.type('text/plain; charset=utf-8').send(await runs.notes(runId));
    },
  });

  route(app, 'GET /api/runs/:id/attempts', {
    operationId: 'getRunAttempts',
    tag: 'Runs',
    summary: 'Get the attempts of a run',
    description:
      'Returns the series of attempts that the run belongs to. A run that is not tried again is a series of one.',
    answer: AttemptsAnswer,
    async handle(request, reply) {
      const run = findRun(runs, request, reply);
      const attempts = runs.attemptsOf(run);
      const answer = {
        first_run_id: run.firstRunId ?? run.runId,
        attempts: run.retries?.attempts ?? 1,
        next_attempt_at: attempts.at(-1)?.nextAttemptAt ?? null,
        // Results are JSON text already.
        runs: Buffer.from(`[${attempts.map((attempt) => toJson(runAnswer(attempt))).join(',')}]`),
      };
      return sendJson(reply, answer);
    },
  });

  route(app, 'POST /api/runs/:id/cancel', {
    operationId: 'cancelRun',
    tag: 'Runs',
    summary: 'Stop a run',
    description:
      'Removes a queued run from the queue, or stops a running one together with all its processes and the runs it waits for. Ends the series of attempts that the run belongs to, also after the end of this one. Responds immediately; the record shows how the run ended.',
    answer: schemas.CancelAnswer,
    async handle(request, reply) {
      const { runId } = findRun(runs, request, reply);
      return success(request, cancelled[runs.cancel(runId)], { run_id: runId });
    },
  });

  route(app, 'POST /api/runs/:id/rerun', {
    operationId: 'rerun',
    tag: 'Runs',
    summary: 'Repeat a run',
    description:
      'Runs the same script again, asynchronously, with the stored data and params. Secrets are not stored: send them again.',
    headers: schemas.OriginHeaders,
    body: schemas.RerunBody,
    examples: {
      same: { summary: 'The same inputs', body: {} },
      changed: { summary: 'Another quality', body: { params: { quality: 70 } } },
    },
    answer: schemas.RerunAnswer,
    async handle(request, reply) {
      const body = bodyOf(request);
      const record = runs.get(request.params.id);
      const script = await catalogue.resolve(record.scriptId);
      const sent = { data: readStructured(body, 'data'), params: readStructured(body, 'params') };
      const { runId } = await runs.submit({
        script,
        origin: originOf(request),
        caller: request.caller,
        depth: depthOfExecute(request.caller),
        sync: false,
        ...rerunInputs(record, script, sent),
        language: languageOf(request, 'en'),
      });
      reply.raw.setHeader('x-hob-run-id', runId);
      return success(request, { en: 'The run was accepted', zh: '运行请求已接收' }, { run_id: runId });
    },
  });

  route(app, 'DELETE /api/runs/:id', {
    operationId: 'deleteRun',
    tag: 'Runs',
    summary: 'Delete a run',
    description:
      'Deletes the record and the folder of a run that has ended. If it would be tried again, that is cancelled.',
    answer: schemas.DeleteAnswer,
    async handle(request, reply) {
      const run = findRun(runs, request, reply);
      if (run.nextAttemptAt !== null) runs.cancel(run.runId);
      await runRemover.remove(run);
      return success(request, { en: 'The run was deleted', zh: '运行已删除' }, { run_id: run.runId });
    },
  });
}

const longestPollS = 300;
const secondsPattern = /^\d{1,3}(?:\.\d{1,9})?$/;

/** Parses the query field `wait`, in seconds. Returns milliseconds. */
export function readWaitMs(wait: string | null): number {
  if (wait === null) return 0;
  const seconds = secondsPattern.test(wait) ? Number(wait) : Number.NaN;
  if (seconds <= longestPollS) return seconds * 1000;
  throw new AppError('field-invalid', {
    en: `wait must be a number of seconds from 0 to ${longestPollS}`,
    zh: `wait 应为 0 到 ${longestPollS} 之间的秒数`,
    fields: ['wait'],
  });
}

/** Waits until a run, or the series that it began, has ended, `waitMs` have passed, or the signal is aborted. */
export async function waitForEnd(
  runId: string,
  {
    runEnds,
    waitMs,
    signal,
    isSeries = false,
  }: { runEnds: RunEnds; waitMs: number; signal: AbortSignal; isSeries?: boolean },
): Promise<void> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  const timer = setTimeout(stop, waitMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await (isSeries ? runEnds.waitForSeries(runId, enough.signal) : runEnds.wait(runId, enough.signal));
  clearTimeout(timer);
}

/** Answers for a cancelled run, and for a cancelled wait for the next attempt. */
const cancelled: Readonly<Record<'run' | 'wait', Text>> = {
  run: { en: 'The run is being stopped', zh: '正在停止运行' },
  wait: { en: 'No further attempt is made', zh: '不会再次尝试' },
};
