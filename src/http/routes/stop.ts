import type { FastifyInstance } from 'fastify';

import type { AppDependencies } from '../dependencies.ts';
import { LaterError, StopAnswer } from '../wire.ts';

export function addStopRoute(app: FastifyInstance, { requestStop }: AppDependencies): void {
  const schema = {
    summary: 'Stop the service',
    description:
      'Refuses new work, waits for synchronous callers, and ends. Asynchronous runs go on without it.',
    response: { 200: StopAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.post('/api/stop', { schema }, async (_request, reply) => {
    // The answer first: a stopping service closes its connections.
    reply.raw.once('finish', requestStop);
    return { status: 'success', message: 'Hob is stopping' };
  });
}
