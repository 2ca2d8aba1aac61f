import type { DesktopState } from '../../contract/values.ts';
import type { Logger } from '../../shared/log.ts';
import { runCommand } from '../../shared/run-command.ts';
import type { Bubble, Desktop } from './desktop.ts';
import { DesktopHealth } from './desktop-health.ts';

export interface DesktopOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** Part of the 2.5 s for showing a bubble; the rest is a margin for a busy machine. */
const attemptMs = 2300;

/** A desktop whose bubbles a system program shows. After a failure, the program is not used for a while. */
export abstract class DesktopCommand implements Desktop {
  readonly #file: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #hint: string;
  readonly #health: DesktopHealth;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  /** `hint` is advice for the user if the program fails. */
  constructor(file: string, hint: string, { environment, log }: DesktopOptions) {
    this.#file = file;
    this.#hint = hint;
    this.#environment = environment;
    this.#health = new DesktopHealth(log);
  }

  abstract show(bubble: Bubble): Promise<boolean>;

  get state(): DesktopState {
    return this.#health.state;
  }

  /** Passes `data` in the environment of the program. Resolves with whether it succeeded; never rejects. */
  protected async run(
    args: readonly string[],
    data: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    const file = this.#file;
    const { signal } = this.#closing;
    if (signal.aborted || this.#health.isPaused(file)) return false;
    const running = runCommand(file, args, {
      env: { ...this.#environment, ...data },
      timeoutMs: attemptMs,
      signal,
    });
    this.#running.add(running);
    const { ok, stderr, failure } = await running;
    this.#running.delete(running);
    if (signal.aborted) return false;
    if (ok) this.#health.worked();
    else {
      const trouble = { problem: `${file}: ${failure}`, hint: this.#hint };
      this.#health.failed(file, trouble, new Error(stderr.slice(0, 1000)));
    }
    return ok;
  }

  /** Ends running programs. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }
}
