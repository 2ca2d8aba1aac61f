import type { DesktopState } from '../../contract/values.ts';
import type { Logger } from '../../shared/log.ts';
import { runCommand } from '../../shared/run-command.ts';
import { DesktopHealth } from './desktop-health.ts';

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
  readonly #health: DesktopHealth;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: DesktopCommandOptions) {
    this.#options = options;
    this.#health = new DesktopHealth(options.log);
  }

  get state(): DesktopState {
    return this.#health.state;
  }

  /** Passes `data` in the environment of the program. Resolves with whether it succeeded; never rejects. */
  async run(args: readonly string[], data: Readonly<Record<string, string>> = {}): Promise<boolean> {
    const { file, environment, hint } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted || this.#health.isPaused(file)) return false;
    const running = runCommand(file, args, {
      env: { ...environment, ...data },
      timeoutMs: attemptMs,
      signal,
    });
    this.#running.add(running);
    const { ok, stderr, failure } = await running;
    this.#running.delete(running);
    if (signal.aborted) return false;
    if (ok) this.#health.worked();
    else
      this.#health.failed(file, { problem: `${file}: ${failure}`, hint }, new Error(stderr.slice(0, 1000)));
    return ok;
  }

  /** Ends running programs. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }
}
