import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { StopAnswer, StopBody } from '../../contract/service.ts';
import { AppError } from '../../shared/errors.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';

export function addStopRoute(app: FastifyInstance, { requestStop }: AppDependencies): void {
  const schema = {
    summary: 'Stop the service',
    description:
      'Refuses new runs, waits for synchronous calls to finish, then stops. Asynchronous runs continue, unless `all` is true.',
    body: StopBody,
    response: { 200: StopAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.post('/api/stop', { schema }, async (request, reply) => {
    const { all } = bodyOf(request).fields;
    if (all !== undefined && typeof all !== 'boolean') {
      throw new AppError('field-invalid', { en: 'all must be true or false', zh: 'all 应为布尔值' });
    }
    // Send the answer first: a stopping service closes its connections.
    reply.raw.once('finish', () => requestStop({ all: all === true }));
    return { status: 'success', message: 'Hob is stopping' };
  });
}
