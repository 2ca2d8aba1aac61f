import { type WarmLimits, type WarmState, warmLanguages } from '../runs/run-record.ts';
import type { Metrics } from './metrics.ts';

export interface WarmSource {
  readonly limits: WarmLimits;
  state(): WarmState | null;
}

/** Adds the metrics of warm interpreters. All are 0 before the executor's first report. */
export function addWarmMetrics(metrics: Metrics, { limits, state }: WarmSource): void {
  metrics.addCounter({
    name: 'hob_warm_hits_total',
    help: 'Runs that used a warm interpreter. Starts at 0 with each executor.',
    read: () => state()?.hits ?? 0,
  });
  metrics.addCounter({
    name: 'hob_warm_misses_total',
    help: 'Runs that could have used a warm interpreter but found none. Starts at 0 with each executor.',
    read: () => state()?.misses ?? 0,
  });
  metrics.addLabelledGauge({
    name: 'hob_warm_interpreters',
    help: 'Warm interpreters that wait for a run.',
    label: 'language',
    read: () => warmLanguages.map((language) => [language, waitingIn(language, state())] as const),
  });
  metrics.addGauge({
    name: 'hob_warm_memory_bytes',
    help: 'Memory of the warm interpreters.',
    read: () => state()?.memoryBytes ?? 0,
  });
  metrics.addGauge({
    name: 'hob_warm_memory_limit_bytes',
    help: 'Memory limit for warm interpreters (setting warm_memory_mb).',
    read: () => limits.memoryBytes,
  });
}

function waitingIn(language: string, state: WarmState | null): number {
  const kinds = state?.kinds.filter((kind) => kind.language === language) ?? [];
  return kinds.reduce((sum, { waiting }) => sum + waiting, 0);
}
