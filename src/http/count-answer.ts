import type { FastifyReply, FastifyRequest } from 'fastify';

import type { HttpMetrics } from '../metrics/http-metrics.ts';

/**
 * Counts the answer to a request when it is complete or its caller has disconnected. The duration metric shows how fast Hob is.
 * Answers that wait for a script, which may take hours, or that stay open for events would distort it, so their handlers set
 * `isLasting` and they are counted without a duration. The time to the first byte is no alternative: in a synchronous call it
 * includes the script's time. The duration of scripts has a separate metric.
 */
export function countAnswer(metrics: HttpMetrics, request: FastifyRequest, { raw }: FastifyReply): void {
  const beganMs = performance.now();
  // Not `finish`: that event does not fire if the caller disconnects.
  raw.once('close', () => {
    metrics.answered({
      route: request.routeOptions?.url,
      method: request.method,
      status: raw.headersSent ? raw.statusCode : undefined,
      durationMs: raw.headersSent && !request.isLasting ? performance.now() - beganMs : null,
    });
  });
}
