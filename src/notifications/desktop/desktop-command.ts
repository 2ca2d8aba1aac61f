import type { Logger } from '../../shared/log.ts';
import { runCommand } from '../../shared/run-command.ts';
import { BackOff } from './back-off.ts';
import type { DesktopState } from './desktop.ts';
import { DesktopReport } from './desktop-report.ts';

interface DesktopCommandOptions {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  /** What to do when it does not work. */
  readonly hint: string;
}

/** Within the 2.5 s that showing a bubble may take; the rest is for a machine that is busy. */
const attemptMs = 2300;

/** A program of the system that shows bubbles. One that does not work is left alone for a while. */
export class DesktopCommand {
  readonly #options: DesktopCommandOptions;
  readonly #report: DesktopReport;
  readonly #backOff = new BackOff();
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #hasFailed = false;

  constructor(options: DesktopCommandOptions) {
    this.#options = options;
    this.#report = new DesktopReport(options.log);
  }

  get state(): DesktopState {
    return this.#hasFailed ? 'unreachable' : 'ready';
  }

  /** `data` goes into the environment of the program. Resolves with whether it did what it was asked for; never rejects. */
  async run(args: readonly string[], data: Readonly<Record<string, string>> = {}): Promise<boolean> {
    const { file, environment, hint } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted || this.#backOff.isOn(file)) return false;
    const running = runCommand(file, args, {
      env: { ...environment, ...data },
      timeoutMs: attemptMs,
      signal,
    });
    this.#running.add(running);
    const { ok, stderr, failure } = await running;
    this.#running.delete(running);
    if (signal.aborted) return false;
    this.#hasFailed = !ok;
    if (ok) {
      this.#backOff.reset();
      this.#report.worked();
    } else {
      this.#backOff.failed(file);
      this.#report.failed({ problem: `${file}: ${failure}`, hint }, new Error(stderr.slice(0, 1000)));
    }
    return ok;
  }

  /** Ends what is still at it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }
}
