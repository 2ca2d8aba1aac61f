import { Counter, Histogram, type Registry } from 'prom-client';

import type { BriefRun } from '../runs/run-record.ts';

/** The part of a run event that the metrics need. */
export interface ObservedRun {
  readonly type: 'queued' | 'started' | 'ended';
  readonly run: BriefRun;
}

/** From short lookups to scripts that run for half a day. */
const durationBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1800, 3600, 10_800, 43_200];
const waitBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 300, 1800, 7200];

/**
 * Counts runs. Scripts are labels, because there are dozens of them, not thousands. Runs are never labels. The label `script_id`
 * stays the same when a script is renamed; the label `script` is for people.
 */
export class RunMetrics {
  readonly #accepted: Counter<'script_id' | 'script' | 'origin'>;
  readonly #ended: Counter<'script_id' | 'script' | 'origin' | 'state' | 'end_cause'>;
  readonly #durations: Histogram<'script_id' | 'script'>;
  readonly #waits: Histogram;
  readonly #output: Counter<'stream'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#accepted = new Counter({
      name: 'hob_runs_accepted_total',
      help: 'Accepted runs.',
      labelNames: ['script_id', 'script', 'origin'],
      registers,
    });
    this.#ended = new Counter({
      name: 'hob_runs_ended_total',
      help: 'Ended runs, by outcome. Includes runs that an earlier service accepted.',
      labelNames: ['script_id', 'script', 'state', 'end_cause', 'origin'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'hob_run_duration_seconds',
      help: 'Duration of scripts, from the start of the process to its end. Excludes runs that never started.',
      labelNames: ['script_id', 'script'],
      buckets: durationBuckets,
      registers,
    });
    this.#waits = new Histogram({
      name: 'hob_run_wait_seconds',
      help: 'Wait time of runs, from acceptance to the start of the script.',
      buckets: waitBuckets,
      registers,
    });
    this.#output = new Counter({
      name: 'hob_run_output_bytes_total',
      help: 'Output of ended scripts, kept or not.',
      labelNames: ['stream'],
      registers,
    });
    for (const stream of ['stdout', 'stderr']) this.#output.inc({ stream }, 0);
  }

  note({ type, run }: ObservedRun): void {
    switch (type) {
      case 'queued':
        this.#accepted.inc({ ...labelsOf(run), origin: run.origin });
        break;
      case 'started':
        this.#noteStart(run);
        break;
      case 'ended':
        this.#noteEnd(run);
        break;
    }
  }

  #noteStart({ queuedAt, startedAt }: BriefRun): void {
    if (startedAt === null) return;
    // The clock may have been set back meanwhile.
    this.#waits.observe(Math.max(0, Date.parse(startedAt) - Date.parse(queuedAt)) / 1000);
  }

  #noteEnd(run: BriefRun): void {
    const labels = labelsOf(run);
    const { state, endCause, origin, startedAt, durationMs, stdoutBytes, stderrBytes } = run;
    this.#ended.inc({ ...labels, state, end_cause: endCause ?? '', origin });
    if (startedAt !== null && durationMs !== null) this.#durations.observe(labels, durationMs / 1000);
    this.#output.inc({ stream: 'stdout' }, stdoutBytes ?? 0);
    this.#output.inc({ stream: 'stderr' }, stderrBytes ?? 0);
  }
}

function labelsOf({ scriptId, scriptName }: BriefRun): { script_id: string; script: string } {
  return { script_id: scriptId, script: scriptName };
}
