import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { MetricsText } from '../../contract/service.ts';
import type { AppDependencies } from '../dependencies.ts';

export function addMetricsRoute(app: FastifyInstance, { metrics }: AppDependencies): void {
  const schema = {
    summary: 'Metrics',
    description: 'Returns counters and gauges of the service and its process in the Prometheus text format.',
    response: {
      200: { description: 'All metrics.', content: { 'text/plain': { schema: MetricsText } } },
      '4xx': LaterError,
      '5xx': LaterError,
    },
  };
  app.get('/metrics', { schema }, async (_request, reply) => {
    const text = await metrics.write();
    return reply.type(metrics.contentType).send(text);
  });
}
