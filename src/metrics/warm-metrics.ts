import { type WarmLimits, type WarmState, warmLanguages } from '../runs/run-record.ts';
import type { Metrics } from './metrics.ts';

export interface WarmSource {
  readonly limits: WarmLimits;
  state(): WarmState | null;
}

/** How the interpreters that wait for runs stand; all is 0 before the executor has said anything. */
export function addWarmMetrics(metrics: Metrics, { limits, state }: WarmSource): void {
  metrics.addCounter({
    name: 'hob_warm_hits_total',
    help: 'Runs that were given to an interpreter that waited; begins anew with another executor.',
    read: () => state()?.hits ?? 0,
  });
  metrics.addCounter({
    name: 'hob_warm_misses_total',
    help: 'Runs that could have been, and started their own; begins anew with another executor.',
    read: () => state()?.misses ?? 0,
  });
  metrics.addLabelledGauge({
    name: 'hob_warm_interpreters',
    help: 'Interpreters that are started and wait for a run.',
    label: 'language',
    read: () => warmLanguages.map((language) => [language, waitingIn(language, state())] as const),
  });
  metrics.addGauge({
    name: 'hob_warm_memory_bytes',
    help: 'What interpreters that wait for runs take.',
    read: () => state()?.memoryBytes ?? 0,
  });
  metrics.addGauge({
    name: 'hob_warm_memory_limit_bytes',
    help: 'What they may take (setting warm_memory_mb).',
    read: () => limits.memoryBytes,
  });
}

function waitingIn(language: string, state: WarmState | null): number {
  const kinds = state?.kinds.filter((kind) => kind.language === language) ?? [];
  return kinds.reduce((sum, { waiting }) => sum + waiting, 0);
}
