import type { FifoPool } from '../fifo-pool.ts';
import type { GivenRun } from '../given-run.ts';
import { type Launched, LauncherProcess } from './launcher-process.ts';

/** After one that did not come up, or was killed, the next one waits, longer each time. */
const firstPauseMs = 1000;
const longestPauseMs = 10 * 60_000;

interface LauncherOptions {
  /** The Python that runs it, and the program. */
  readonly python: string;
  readonly program: string;
  readonly fifos: FifoPool;
  readonly now: () => number;
}

/**
 * Starts programs by a small process. This one is large, and the system copies the tables of all its memory for each start, while
 * everything else waits: that takes several times as long as the start itself.
 */
export class Launcher {
  readonly #options: LauncherOptions;
  #process: LauncherProcess | null = null;
  #isUp = false;
  #usedAtMs = 0;
  #pauseMs = firstPauseMs;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get usedAtMs(): number {
    return this.#usedAtMs;
  }

  /** Null when it is to be started without this: there is no such process yet, or it could not. */
  async start(spec: GivenRun): Promise<Launched | null> {
    // A mere name is looked for in the path of the script, which is not that of the small process.
    if (!spec.file.startsWith('/') || spec.isVerbatim) return null;
    this.#usedAtMs = this.#options.now();
    if (this.#process === null) this.#open();
    return this.#isUp && this.#process !== null ? this.#process.start(spec) : null;
  }

  close(): void {
    const closing = this.#process;
    // First, so that its end is not taken for a failure.
    this.#process = null;
    this.#isUp = false;
    closing?.close();
  }

  #open(): void {
    const { python, program, fifos, now } = this.#options;
    if (now() < this.#pausedUntilMs) return;
    const opened = new LauncherProcess(python, program, fifos, {
      ready: () => {
        this.#isUp = this.#process === opened;
        this.#pauseMs = firstPauseMs;
      },
      ended: () => {
        if (this.#process !== opened) return;
        this.#process = null;
        this.#isUp = false;
        this.#pausedUntilMs = now() + this.#pauseMs;
        this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
      },
    });
    this.#process = opened;
  }
}
