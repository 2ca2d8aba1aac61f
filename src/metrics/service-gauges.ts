import type { Metrics } from './metrics.ts';
import { addWarmMetrics, type WarmSource } from './warm-metrics.ts';

/** Those that know how things stand now. */
interface Sources {
  readonly runs: { readonly running: number; readonly queued: number };
  readonly executor: { readonly isUp: boolean; readonly containment: string | null };
  readonly warm: WarmSource;
  readonly scripts: () => { readonly scripts: number; readonly faultyFiles: number };
  readonly history: { totals(): { readonly runs: number; readonly bytes: number } };
  readonly maxRuns: number;
  readonly maxQueued: number;
}

/** What is shown as it stands when it is asked for. */
export function addServiceGauges(metrics: Metrics, sources: Sources): void {
  const { runs, executor, warm, scripts, history, maxRuns, maxQueued } = sources;
  metrics.addGauge({
    name: 'hob_runs_running',
    help: 'Runs under way; a run that waits for one it linked lends it its place, so this may be more than the limit.',
    read: () => runs.running,
  });
  metrics.addGauge({
    name: 'hob_runs_running_limit',
    help: 'How many runs may be under way at once (setting max_runs).',
    read: () => maxRuns,
  });
  metrics.addGauge({
    name: 'hob_runs_waiting',
    help: 'Runs that wait for their turn.',
    read: () => runs.queued,
  });
  metrics.addGauge({
    name: 'hob_runs_waiting_limit',
    help: 'How many runs may wait for their turn (setting max_queued).',
    read: () => maxQueued,
  });
  metrics.addGauge({
    name: 'hob_executor_up',
    help: '1 while the process that runs scripts is there and answers, else 0.',
    read: () => Number(executor.isUp),
  });
  metrics.addInfo({
    name: 'hob_executor_info',
    help: 'Always 1: by what the processes of a run are kept together when it is stopped.',
    label: 'containment',
    read: () => executor.containment,
  });
  addWarmMetrics(metrics, warm);
  metrics.addGauge({
    name: 'hob_scripts',
    help: 'Scripts whose manifest can be used.',
    read: () => scripts().scripts,
  });
  metrics.addGauge({
    name: 'hob_script_files_with_errors',
    help: 'Manifests, entries and folders of scripts that something is wrong with; GET /api/scripts says what.',
    read: () => scripts().faultyFiles,
  });
  metrics.addGauge({
    name: 'hob_history_runs',
    help: 'Runs on record, those without an end included.',
    read: () => history.totals().runs,
  });
  metrics.addGauge({
    name: 'hob_history_bytes',
    help: 'What the records and folders of ended runs take on the disk.',
    read: () => history.totals().bytes,
  });
}
