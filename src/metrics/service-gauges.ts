import { warmLanguages } from '../contract/values.ts';
import type { WarmLimits, WarmState } from '../runs/run-record.ts';
import type { Metrics } from './metrics.ts';

interface WarmSource {
  readonly limits: WarmLimits;
  state(): WarmState | null;
}

/** The parts of the service that provide the current values. */
interface Sources {
  readonly runs: { readonly running: number; readonly queued: number };
  readonly executor: { readonly isUp: boolean; readonly containment: string | null };
  readonly warm: WarmSource;
  readonly scripts: () => { readonly scripts: number; readonly faultyFiles: number };
  readonly history: { totals(): { readonly runs: number; readonly bytes: number } };
  readonly maxRuns: number;
  readonly maxQueued: number;
}

/** Adds gauges that are read on each request. */
export function addServiceGauges(metrics: Metrics, sources: Sources): void {
  const { runs, executor, warm, scripts, history, maxRuns, maxQueued } = sources;
  metrics.addGauge({
    name: 'hob_runs_running',
    help: 'Running scripts. May exceed the limit, because a run lends its slot to the run that it links.',
    read: () => runs.running,
  });
  metrics.addGauge({
    name: 'hob_runs_running_limit',
    help: 'Maximum number of concurrent runs (setting max_runs).',
    read: () => maxRuns,
  });
  metrics.addGauge({
    name: 'hob_runs_waiting',
    help: 'Queued runs.',
    read: () => runs.queued,
  });
  metrics.addGauge({
    name: 'hob_runs_waiting_limit',
    help: 'Maximum number of queued runs (setting max_queued).',
    read: () => maxQueued,
  });
  metrics.addGauge({
    name: 'hob_executor_up',
    help: '1 if the executor is running and responds, otherwise 0.',
    read: () => Number(executor.isUp),
  });
  metrics.addInfo({
    name: 'hob_executor_info',
    help: 'Always 1. The label says how Hob finds the processes of a run to stop them.',
    label: 'containment',
    read: () => executor.containment,
  });
  addWarmMetrics(metrics, warm);
  metrics.addGauge({
    name: 'hob_scripts',
    help: 'Scripts with a valid manifest.',
    read: () => scripts().scripts,
  });
  metrics.addGauge({
    name: 'hob_script_files_with_errors',
    help: 'Manifests, entries and script folders with errors. GET /api/scripts lists the errors.',
    read: () => scripts().faultyFiles,
  });
  metrics.addGauge({
    name: 'hob_history_runs',
    help: 'Stored runs, including those that have not ended.',
    read: () => history.totals().runs,
  });
  metrics.addGauge({
    name: 'hob_history_bytes',
    help: 'Size on disk of the records and folders of ended runs.',
    read: () => history.totals().bytes,
  });
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
    help: 'Eligible runs that found no idle interpreter. Starts at 0 with each executor.',
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
