import type { FastifyInstance } from 'fastify';
import { LaterError, OriginHeaders } from '../../contract/common.ts';
import {
  CancelAnswer,
  DeleteAnswer,
  NotesAnswer,
  RerunAnswer,
  RerunBody,
  RunAnswer,
  RunQuery,
} from '../../contract/runs.ts';
import { depthOfExecute } from '../../runs/callers/chain.ts';
import { rerunInputs } from '../../runs/rerun.ts';
import type { Text } from '../../shared/text.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { QueryFields } from '../query-fields.ts';
import { runAnswer } from '../run-answer.ts';
import { originOf, readStructured } from '../run-fields.ts';
import { sendJson } from '../send-json.ts';
import { readWaitMs, waitForEnd } from '../wait-for-end.ts';
import { whenAnsweredOr } from '../when-answered.ts';

const done = {
  cancel: { en: 'The run is being stopped', zh: '正在停止运行' },
  rerun: { en: 'The run was accepted', zh: '运行请求已接收' },
  delete: { en: 'The run was deleted', zh: '运行已删除' },
} as const satisfies Record<string, Text>;

export function addRunRoutes(
  app: FastifyInstance,
  { catalogue, runs, runEnds, runRemover, closing }: AppDependencies,
): void {
  const schema = {
    summary: 'Get a run',
    description:
      'Returns the record of a run, during the run and afterwards. With `wait`, the response waits for the end of the run.',
    querystring: RunQuery,
    response: { 200: RunAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get<{ Params: { id: string } }>('/api/runs/:id', { schema }, async (request, reply) => {
    const waitMs = readWaitMs(new QueryFields(request.query, Object.keys(RunQuery.properties)).text('wait'));
    let record = runs.get(request.params.id);
    reply.raw.setHeader('x-hob-run-id', record.runId);
    if (waitMs > 0 && record.endedAt === null) {
      request.isLasting = true;
      const signal = whenAnsweredOr(closing, request, reply);
      await waitForEnd(record.runId, { runEnds, waitMs, signal });
      record = runs.get(record.runId);
    }
    return sendJson(reply, runAnswer(record));
  });

  const notesSchema = {
    summary: 'Get the notes of a run',
    description:
      'Returns remarks of Hob about the run, for example why it had no window. They are separate from the output of the script.',
    response: { 200: NotesAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get<{ Params: { id: string } }>(
    '/api/runs/:id/notes',
    { schema: notesSchema },
    async (request, reply) => {
      const { runId } = runs.getBrief(request.params.id);
      reply.raw.setHeader('x-hob-run-id', runId);
      return reply.type('text/plain; charset=utf-8').send(await runs.notes(runId));
    },
  );

  const cancelSchema = {
    summary: 'Stop a run',
    description:
      'Removes a queued run from the queue, or stops a running one together with all its processes and the runs it waits for. Responds immediately; the record shows how the run ended.',
    response: { 200: CancelAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.post<{ Params: { id: string } }>(
    '/api/runs/:id/cancel',
    { schema: cancelSchema },
    async (request, reply) => {
      const { runId } = runs.getBrief(request.params.id);
      reply.raw.setHeader('x-hob-run-id', runId);
      runs.cancel(runId);
      return { status: 'success', message: done.cancel[languageOf(request, 'en')], run_id: runId };
    },
  );

  const rerunSchema = {
    summary: 'Repeat a run',
    description:
      'Runs the same script again, asynchronously, with the stored data and params. Secrets are not stored: send them again.',
    headers: OriginHeaders,
    body: RerunBody,
    response: { 200: RerunAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.post<{ Params: { id: string } }>(
    '/api/runs/:id/rerun',
    { schema: rerunSchema },
    async (request, reply) => {
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
      return { status: 'success', message: done.rerun[languageOf(request, 'en')], run_id: runId };
    },
  );

  const deleteSchema = {
    summary: 'Delete a run',
    description: 'Deletes the record and the folder of a run that has ended.',
    response: { 200: DeleteAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.delete<{ Params: { id: string } }>(
    '/api/runs/:id',
    { schema: deleteSchema },
    async (request, reply) => {
      const record = runs.getBrief(request.params.id);
      reply.raw.setHeader('x-hob-run-id', record.runId);
      await runRemover.remove(record);
      return { status: 'success', message: done.delete[languageOf(request, 'en')], run_id: record.runId };
    },
  );
}
