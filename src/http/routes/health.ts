import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';

import type { ExecutorState } from '../../runs/run-record.ts';
import { interfaceVersion } from '../../shared/version.ts';
import type { AppDependencies } from '../dependencies.ts';
import { warmAnswer } from '../warm-answer.ts';
import { LaterError } from '../wire/common.ts';
import { type ExecutorAnswer, HealthAnswer } from '../wire/service.ts';

export function addHealthRoute(
  app: FastifyInstance,
  { runs, executor, desktop, warm, version, metrics, guard }: AppDependencies,
): void {
  const startedMs = performance.now();
  const schema = {
    summary: 'Check the health of the service',
    response: { 200: HealthAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/health', { schema }, async ({ raw }) => ({
    status: 'ok',
    version,
    interface: interfaceVersion,
    uptime_s: Math.round(performance.now() - startedMs) / 1000,
    running: runs.running,
    queued: runs.queued,
    executor: executorAnswer(executor.state),
    containment: runs.containment,
    desktop: desktop.state,
    warm: warmAnswer(warm, { isKnown: guard === null || guard.isKnown(raw) }),
    refused: metrics.http.doorRefusals,
  }));
}

function executorAnswer({ state, pid, silentPids }: ExecutorState): Static<typeof ExecutorAnswer> {
  return { state, pid, silent_pids: [...silentPids] };
}
