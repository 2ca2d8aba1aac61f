import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

import type { Logger } from '../shared/log.ts';
import { interfaceVersion } from '../shared/version.ts';
import { HttpMetrics } from './http-metrics.ts';
import { RunMetrics } from './run-metrics.ts';

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
  addInfo({ name, help, label, read }: InfoOptions): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect: () => {
        gauge.reset();
        const value = read();
        if (value !== null) gauge.set({ [label]: value }, 1);
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
