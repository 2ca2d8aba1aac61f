import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { OutcomesAnswer, OutcomesQuery } from '../../contract/history.ts';
import type { ScriptOutcomes } from '../../runs/history/history-store.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { AppDependencies } from '../dependencies.ts';
import { QueryFields } from '../query-fields.ts';

export function addOutcomesRoute(app: FastifyInstance, { history }: AppDependencies): void {
  const schema = {
    summary: 'List the latest outcomes of each script',
    description:
      'Lists the state, queue time and duration of the latest runs of all scripts, or of the given ones.',
    querystring: OutcomesQuery,
    response: { 200: OutcomesAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/outcomes', { schema }, async (request) => {
    const fields = new QueryFields(request.query, Object.keys(OutcomesQuery.properties));
    const outcomes = await history.outcomes({
      scriptIds: fields.uuids('script'),
      runsEach: fields.integer('limit', { from: 1, to: 100, fallback: 20 }),
    });
    return { items: outcomes.map(outcomesAnswer) };
  });
}

function outcomesAnswer({ scriptId, scriptName, runs }: ScriptOutcomes): JsonObject {
  return {
    script_id: scriptId,
    script_name: scriptName,
    runs: runs.map((run) => ({
      run_id: run.runId,
      state: run.state,
      end_cause: run.endCause,
      queued_at: run.queuedAt,
      duration_ms: run.durationMs,
    })),
  };
}
