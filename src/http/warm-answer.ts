import type { Static } from 'typebox';

import type { AppDependencies } from './dependencies.ts';
import type { WarmAnswer } from './wire/service.ts';

const none = { hits: 0, misses: 0, memoryBytes: 0, isShortOfMemory: false, kinds: [] };

/**
 * The state of the warm interpreters; zeros before the executor's first report. Callers that are not authenticated get no list of
 * interpreters, because it contains paths.
 */
export function warmAnswer(
  { limits, state }: AppDependencies['warm'],
  { isKnown }: { isKnown: boolean },
): Static<typeof WarmAnswer> {
  const { hits, misses, memoryBytes, isShortOfMemory, kinds } = state() ?? none;
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
