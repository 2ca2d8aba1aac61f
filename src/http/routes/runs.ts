import type { FastifyInstance } from 'fastify';

import type { AppDependencies } from '../dependencies.ts';
import { runAnswer } from '../run-answer.ts';
import { sendJson } from '../send-json.ts';
import { CancelAnswer, LaterError, RunAnswer } from '../wire.ts';

export function addRunRoutes(app: FastifyInstance, { runs }: AppDependencies): void {
  const schema = {
    summary: 'One run',
    description: 'The record of a run, while it lasts and afterwards.',
    response: { 200: RunAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get<{ Params: { id: string } }>('/api/runs/:id', { schema }, async (request, reply) => {
    const record = runs.get(request.params.id);
    reply.raw.setHeader('x-hob-run-id', record.runId);
    return sendJson(reply, runAnswer(record));
  });

  const cancelSchema = {
    summary: 'Stop a run',
    description:
      'Takes a waiting run out of the queue, or stops a running one with all its processes and the runs it waits for. The answer comes at once; the record says how the run ended.',
    response: { 200: CancelAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.post<{ Params: { id: string } }>(
    '/api/runs/:id/cancel',
    { schema: cancelSchema },
    async (request, reply) => {
      const { runId } = runs.get(request.params.id);
      reply.raw.setHeader('x-hob-run-id', runId);
      runs.cancel(runId);
      return { status: 'success', message: 'The run is being stopped', run_id: runId };
    },
  );
}
