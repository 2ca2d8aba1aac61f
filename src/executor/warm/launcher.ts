import type { FifoPool } from '../fifo-pool.ts';
import type { GivenRun } from '../given-run.ts';
import { type Launched, LauncherProcess } from './launcher-process.ts';

/** After a launcher failed to start or was killed, the next start waits, longer each time. */
const firstPauseMs = 1000;
const longestPauseMs = 10 * 60_000;

interface LauncherOptions {
  /** The Python that runs the launcher, and its program. */
  readonly python: string;
  readonly program: string;
  readonly fifos: FifoPool;
  readonly now: () => number;
}

/**
 * Starts programs through a small process. The executor itself is large: for each start, the system copies the tables
 * of all its memory and blocks it meanwhile. That takes several times as long as the start itself.
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

  /**
   * Returns null if the program must be started in another way: there is no launcher process yet, or it could not start
   * the program.
   */
  async start(spec: GivenRun): Promise<Launched | null> {
    // A name without a path is searched in the PATH of the script, which differs from that of the launcher process.
    if (!spec.file.startsWith('/') || spec.isVerbatim) return null;
    this.#usedAtMs = this.#options.now();
    if (this.#process === null) this.#open();
    return this.#isUp && this.#process !== null ? this.#process.start(spec) : null;
  }

  close(): void {
    const closing = this.#process;
    // Reset this first, so that its exit is not treated as a failure.
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
