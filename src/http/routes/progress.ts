import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import { LaterError } from '../../contract/common.ts';
import { ProgressAnswer, ProgressBody } from '../../contract/events.ts';
import { cutMessage } from '../../shared/cut-message.ts';
import { AppError } from '../../shared/errors.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';

export function addProgressRoute(app: FastifyInstance, { runs }: AppDependencies): void {
  const schema = {
    summary: 'Report the progress of a run',
    description: 'Called by a running script through its own address, `environment.api_base`.',
    body: ProgressBody,
    response: { 200: ProgressAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.post('/api/progress', { schema }, async (request, reply) => {
    const { fields } = bodyOf(request);
    if (request.caller === null) throw needsRun();
    const { runId } = request.caller;
    reply.raw.setHeader('x-hob-run-id', runId);
    if (!Value.Check(ProgressBody, fields)) throw invalid();
    const { fraction = null, message = null } = fields;
    if (fraction === null && message === null) throw invalid();
    runs.report(runId, { fraction, message: message === null ? null : cutMessage(message) });
    return { status: 'success' };
  });
}

function needsRun(): AppError {
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

function invalid(): AppError {
  return new AppError('field-invalid', {
    en: 'fraction must be a number from 0 to 1, message must be a string; at least one of them is required',
    zh: 'fraction 应为 0 到 1 的数，message 应为字符串，至少需要其中之一',
  });
}
