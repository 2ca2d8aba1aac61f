import type { FastifyReply, FastifyRequest } from 'fastify';

import type { HttpMetrics } from '../metrics/http-metrics.ts';

/**
 * Counts the answer to a request once it is through, or its caller gone. Its duration is to show how quick Hob is. An answer that
 * waits for a script, which may take hours, or that stays open for events to come would show only how long those take, and a few of
 * them would drown all others; the handler marks them as lasting, and they are counted without a duration. The time to the
 * first byte would not do instead: for a synchronous call that is the script's time, too. How long scripts take has a metric of
 * its own.
 */
export function countAnswer(metrics: HttpMetrics, request: FastifyRequest, { raw }: FastifyReply): void {
  const beganMs = performance.now();
  // Not `finish`: that never comes when the caller has hung up.
  raw.once('close', () => {
    metrics.answered({
      route: request.routeOptions?.url,
      method: request.method,
      status: raw.headersSent ? raw.statusCode : undefined,
      durationMs: raw.headersSent && !request.isLasting ? performance.now() - beganMs : null,
    });
  });
}
