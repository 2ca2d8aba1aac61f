import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { LaterError } from '../../contract/common.ts';
import { type ExecutorAnswer, HealthAnswer, type WarmAnswer } from '../../contract/service.ts';
import type { ExecutorState } from '../../runs/run-record.ts';
import { interfaceVersion } from '../../shared/version.ts';
import type { AppDependencies } from '../dependencies.ts';

const noWarmState = { hits: 0, misses: 0, memoryBytes: 0, isShortOfMemory: false, kinds: [] };

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
    refused: metrics.http.accessRefusals,
  }));
}

function executorAnswer({ state, pid, silentPids }: ExecutorState): Static<typeof ExecutorAnswer> {
  return { state, pid, silent_pids: [...silentPids] };
}

/**
 * The state of the warm interpreters; zeros before the executor's first report. Callers that are not authenticated get no list of
 * interpreters, because it contains paths.
 */
function warmAnswer(
  { limits, state }: AppDependencies['warm'],
  { isKnown }: { isKnown: boolean },
): Static<typeof WarmAnswer> {
  const { hits, misses, memoryBytes, isShortOfMemory, kinds } = state() ?? noWarmState;
  return {
    hits,
    misses,
    memory_bytes: memoryBytes,
    budget_bytes: limits.memoryBytes,
    short_of_memory: isShortOfMemory,
    interpreters: (isKnown ? kinds : []).map((kind) => ({
      language: kind.language,
      path: kind.file,
      preload: [...kind.preload],
      forked: kind.isForked,
      waiting: kind.waiting,
      memory_bytes: kind.memoryBytes,
    })),
  };
}
