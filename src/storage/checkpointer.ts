import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Logger } from '../shared/log.ts';

interface CheckpointerOptions {
  /** The file that the thread runs. */
  entry: URL;
  /** The database. */
  path: string;
  log: Logger;
  /** The thread, which takes as much memory as a small service does, is ended when it had nothing to do for so long. */
  idleMs?: number;
}

/**
 * Moves what was written from the log of the database to where it stays. That waits for the disk, for tens of milliseconds and at
 * times for a second, so it is done in a thread of its own. Without it the database does so by itself, later, and everybody waits.
 */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<unknown> = Promise.resolve();

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Never rejects: what could not be moved is moved the next time. One at a time. */
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
      this.#idle = setTimeout(() => this.#dismiss(), this.#options.idleMs ?? longestIdleMs).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#dismiss();
    await this.#ending;
  }

  #dismiss(): void {
    if (this.#worker === null) return;
    const exited = once(this.#worker, 'exit').catch(() => {});
    this.#ending = Promise.all([this.#ending, exited]);
    this.#worker.postMessage(false);
    this.#worker = null;
  }

  #start(): Worker {
    const { entry, path } = this.#options;
    const worker = new Worker(entry, { workerData: path, env: {}, execArgv: [], resourceLimits });
    // Also heard by whoever waits for an answer.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}

const longestIdleMs = 10_000;
/** It keeps nothing. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
