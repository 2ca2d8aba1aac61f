import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

import type { BriefRun, RunEvent } from '../runs/run-record.ts';
import { type ErrorCode, errorCodes } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { interfaceVersion } from '../shared/version.ts';

interface Answered {
  /** The pattern of the route, not the requested path, which may contain an id. Undefined: no route matched. */
  readonly route: string | undefined;
  readonly method: string;
  /** Undefined: the caller disconnected before the answer. */
  readonly status: number | undefined;
  /** Null: Hob did not control the duration. */
  readonly durationMs: number | null;
}

const answerBuckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Counts HTTP requests and their outcomes. No label has a value that a caller can choose freely. */
export class HttpMetrics {
  readonly #accessRefusals: Counter<'rule'>;
  readonly #refusedByRule = new Map<string, number>();
  readonly #refusals: Counter<'code'>;
  readonly #answers: Counter<'route' | 'method' | 'status'>;
  readonly #durations: Histogram<'route' | 'method'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#accessRefusals = new Counter({
      name: 'hob_door_refusals_total',
      help: 'Requests refused by an access rule, by error code.',
      labelNames: ['rule'],
      registers,
    });
    this.#refusals = new Counter({
      name: 'hob_refusals_total',
      help: 'Requests refused after the access rules, by error code.',
      labelNames: ['code'],
      registers,
    });
    this.#answers = new Counter({
      name: 'hob_http_answers_total',
      help: 'Responses to requests that passed the access rules. Status "none": the client closed the connection before the response.',
      labelNames: ['route', 'method', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'hob_http_answer_duration_seconds',
      help: 'Response time, from the request header to the last byte of the response. Excludes responses that wait for a script or stay open.',
      labelNames: ['route', 'method'],
      buckets: answerBuckets,
      registers,
    });
    // A rate needs a counter that exists before its first event.
    for (const code of Object.keys(errorCodes)) {
      if (isDoorCode(code)) {
        this.#accessRefusals.inc({ rule: code }, 0);
        this.#refusedByRule.set(code, 0);
      } else this.#refusals.inc({ code }, 0);
    }
  }

  /** Number of requests that each access rule refused. */
  get accessRefusals(): Record<string, number> {
    return Object.fromEntries(this.#refusedByRule);
  }

  refused(code: ErrorCode): void {
    if (isDoorCode(code)) {
      this.#accessRefusals.inc({ rule: code });
      this.#refusedByRule.set(code, (this.#refusedByRule.get(code) ?? 0) + 1);
    } else this.#refusals.inc({ code });
  }

  answered({ route = 'unmatched', method: asked, status, durationMs }: Answered): void {
    const method = methods.has(asked) ? asked : 'other';
    this.#answers.inc({ route, method, status: statusClass(status) });
    if (durationMs !== null) this.#durations.observe({ route, method }, durationMs / 1000);
  }
}

/** Access rules whose codes have no `door-` prefix: malformed, too large or too slow requests. */
const limitCodes = new Set<string>([
  'request-malformed',
  'request-header-too-large',
  'request-timeout',
  'body-too-large',
  'content-type-unsupported',
  'notify-content-type',
] satisfies ErrorCode[]);

/** From short lookups to scripts that run for half a day. */
const durationBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1800, 3600, 10_800, 43_200];

const waitBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 300, 1800, 7200];

/**
 * Counts runs. Scripts are labels, because there are dozens of them, not thousands. Runs are never labels. The label `script_id`
 * stays the same when a script is renamed; the label `script` is for people.
 */
class RunMetrics {
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

  readonly note = ({ type, run }: RunEvent): void => {
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
  };

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

let registry: Registry | undefined;

interface GaugeOptions {
  name: `hob_${string}`;
  help: string;
  /** Called at every scrape, so it must be cheap. */
  read: () => number | Promise<number>;
}

interface LabelledGaugeOptions {
  name: `hob_${string}`;
  help: string;
  label: string;
  /** The values of the label, each with its number. Called at every scrape. */
  read: () => Iterable<readonly [string, number]>;
}

interface CounterOptions {
  name: `hob_${string}_total`;
  help: string;
  read: () => number;
}

interface InfoOptions {
  name: `hob_${string}_info`;
  help: string;
  /** The label. `read` returns its current value; null: the metric is omitted. */
  label: string;
  read: () => string | null;
}

/** The metrics of one service. Each service in a process has its own registry. */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly runs: RunMetrics;
  readonly http: HttpMetrics;
  readonly #registry = new Registry();
  readonly #executorEvents: Record<'launched' | 'lost', Counter>;
  readonly #log: Logger;

  constructor({ version, log }: { version: string; log: Logger }) {
    this.#log = log;
    const registers = [this.#registry];
    new Gauge({
      name: 'hob_build_info',
      help: 'Always 1. The labels have the version of Hob and of its interface.',
      labelNames: ['version', 'interface'],
      registers,
    }).set({ version, interface: interfaceVersion }, 1);
    this.runs = new RunMetrics(this.#registry);
    this.#executorEvents = {
      launched: new Counter({
        name: 'hob_executor_launches_total',
        help: 'Executors that this service started. Excludes an executor that was already running.',
        registers,
      }),
      lost: new Counter({
        name: 'hob_executor_losses_total',
        help: 'Executors that exited while this service used them.',
        registers,
      }),
    };
    this.http = new HttpMetrics(this.#registry);
  }

  noteExecutor(event: 'launched' | 'lost'): void {
    this.#executorEvents[event].inc();
  }

  /** Adds a number that is read at every scrape. */
  addGauge({ name, help, read }: GaugeOptions): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: async () => {
        try {
          gauge.set(await read());
        } catch (error) {
          // Omit a metric that cannot be read; keep the others.
          this.#log.warn({ err: error, metric: name }, 'cannot read a metric');
          gauge.remove({});
        }
      },
    });
  }

  /** Adds several gauges, distinguished by a label. */
  addLabelledGauge({ name, help, label, read }: LabelledGaugeOptions): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect: () => {
        gauge.reset();
        for (const [value, number] of read()) gauge.set({ [label]: value }, number);
      },
    });
  }

  /** Adds a counter whose value is maintained elsewhere. It only increases, or restarts at 0. */
  addCounter({ name, help, read }: CounterOptions): void {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** Adds a fact that is not a number: always 1, with the fact in a label. */
  addInfo({ read, ...options }: InfoOptions): void {
    this.addLabelledGauge({
      ...options,
      read: () => {
        const value = read();
        return value === null ? [] : [[value, 1]];
      },
    });
  }

  /** Returns all metrics in the Prometheus text format. */
  async write(): Promise<string> {
    const [own, process] = await Promise.all([this.#registry.metrics(), writeProcessMetrics()]);
    return `${own}\n${process}`;
  }
}

/**
 * The default metrics of a Node.js process, under their usual names. Monitoring the event loop wakes the process a hundred times
 * a second and cannot be disabled again, like monitoring of the garbage collector. It therefore starts with the first request for
 * metrics, and only once per process. It does not keep the process alive.
 */
function writeProcessMetrics(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry.metrics();
}

function labelsOf({ scriptId, scriptName }: BriefRun): { script_id: string; script: string } {
  return { script_id: scriptId, script: scriptName };
}

function isDoorCode(code: string): boolean {
  return code.startsWith('door-') || limitCodes.has(code);
}

function statusClass(status: number | undefined): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
}
