import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { depthOfExecute } from '../../runs/callers/chain.ts';
import { readData, readParams } from '../../runs/inputs.ts';
import type { Origin } from '../../runs/run-record.ts';
import { readTempFile } from '../../runs/temp-file.ts';
import { answerSync } from '../answer-sync.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { preferredLanguage } from '../language.ts';
import { readScriptId, readStructured, readSync, readTempFilePath } from '../run-fields.ts';
import { AcceptedAnswer, ExecuteBody, ExecuteForm, ExecutionAnswer, ExecutionError } from '../wire.ts';

export function addExecuteRoute(
  app: FastifyInstance,
  { catalogue, runs, heartbeatMs }: AppDependencies,
): void {
  const schema = {
    summary: 'Run a script',
    description: 'Runs any script by its id, and waits for it when `sync` is true.',
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    body: {
      content: {
        'application/json': { schema: ExecuteBody },
        'application/x-www-form-urlencoded': { schema: ExecuteForm },
      },
    },
    response: {
      200: Type.Union([ExecutionAnswer, AcceptedAnswer], {
        description: 'What became of the run, or that it was accepted.',
      }),
      '4xx': ExecutionError,
      '5xx': ExecutionError,
    },
  };
  app.post('/api/execute', { schema }, async (request, reply) => {
    const body = bodyOf(request);
    const language = preferredLanguage(request.headers['accept-language'], 'zh');
    const scriptId = readScriptId(body);
    const sync = readSync(body);
    const script = await catalogue.resolve(scriptId);
    const tempFile = readTempFilePath(body);
    const sent = tempFile === null ? null : await readTempFile(tempFile);
    const run = await runs.submit({
      script,
      origin: originOf(request),
      caller: request.caller,
      depth: depthOfExecute(request.caller),
      sync,
      data: readData(script, sent === null ? readStructured(body, 'data') : sent.data),
      params: readParams(script, sent === null ? readStructured(body, 'params') : sent.params),
      language,
    });
    if (sync) return answerSync(reply, run, { heartbeatMs, language });
    reply.raw.setHeader('x-hob-run-id', run.runId);
    return reply.send({ status: 'success', message: '脚本执行请求已接收', run_id: run.runId });
  });
}

/** The console and the command line say who they are. */
function originOf(request: FastifyRequest): Origin {
  const claimed = request.headers['x-hob-origin'];
  return claimed === 'console' || claimed === 'cli' ? claimed : 'execute';
}
