import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Logger } from '../shared/log.ts';

interface CheckpointerOptions {
  /** The entry file of the thread. */
  entry: URL;
  /** The path of the database. */
  path: string;
  log: Logger;
  /** The thread needs as much memory as a small service, so it exits after being idle this long. */
  idleMs?: number;
}

/**
 * Moves writes from the log of the database to its file. This waits for the disk, for tens of milliseconds and
 * sometimes for a second, so a thread does it. Without this, SQLite would checkpoint later by itself and block the
 * service.
 */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<unknown> = Promise.resolve();

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Never rejects: a failed checkpoint is made up for by the next one. Only one call at a time. */
  async checkpoint(): Promise<void> {
    const over = new AbortController();
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
      const worker = this.#worker;
      const firstOf = ['message', 'exit'].map((event) => once(worker, event, { signal: over.signal }));
      worker.postMessage(true);
      await Promise.race(firstOf);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'cannot checkpoint the database; will try again');
    } finally {
      over.abort();
      this.#idle = setTimeout(() => this.#endThread(), this.#options.idleMs ?? longestIdleMs).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#endThread();
    await this.#ending;
  }

  #endThread(): void {
    if (this.#worker === null) return;
    const exited = once(this.#worker, 'exit').catch(() => {});
    this.#ending = Promise.all([this.#ending, exited]);
    this.#worker.postMessage(false);
    this.#worker = null;
  }

  #start(): Worker {
    const { entry, path } = this.#options;
    const worker = new Worker(entry, { workerData: path, env: {}, execArgv: [], resourceLimits });
    // Without a listener the error would crash the service. `checkpoint` also receives it while it waits.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}

const longestIdleMs = 10_000;
/** The thread keeps no data. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
