import type { Metrics } from './metrics.ts';
import { addWarmMetrics, type WarmSource } from './warm-metrics.ts';

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
