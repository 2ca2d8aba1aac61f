import type { DesktopState } from '../../contract/values.ts';
import type { Logger } from '../../shared/log.ts';
import { runCommand } from '../../shared/run-command.ts';
import { BackOff } from './back-off.ts';
import { DesktopReport } from './desktop-report.ts';

interface DesktopCommandOptions {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  /** Advice for the user if the program fails. */
  readonly hint: string;
}

/** Part of the 2.5 s for showing a bubble; the rest is a margin for a busy machine. */
const attemptMs = 2300;

/** A system program that shows bubbles. After a failure, it is not used for a while. */
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

  /** Passes `data` in the environment of the program. Resolves with whether it succeeded; never rejects. */
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

  /** Ends running programs. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }
}
