import { AppError } from '../../shared/errors.ts';
import type { TriggerProblem } from '../trigger.ts';
import type { WallTimer } from './wall-timer.ts';

const firstDelayMs = 1000;
const longestDelayMs = 30_000;
/** The reasons that pass, such as a full queue, usually pass within this time. */
const enoughMs = 5 * 60_000;

const unexpected = { en: 'an unexpected error, which the log shows', zh: '发生意外错误，详见日志' };

/** The delays between the attempts to start a run. */
export class Postponement {
  readonly #timer: WallTimer;
  #current: { readonly since: number; readonly count: number; readonly nextAt: number } | null = null;
  #lastError: unknown = null;

  constructor(timer: WallTimer) {
    this.#timer = timer;
  }

  /** Why the last attempt was refused; null if none was. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** The same for the user. */
  get problem(): TriggerProblem | null {
    if (this.#lastError === null) return null;
    const { en, zh } = this.#lastError instanceof AppError ? this.#lastError.text : unexpected;
    return {
      field: null,
      message: { en: `A run cannot start yet: ${en}`, zh: `暂时无法启动运行：${zh}` },
      advice: { en: 'Hob tries again by itself for five minutes.', zh: 'Hob 会在五分钟内自动重试。' },
    };
  }

  /** Until the next attempt. */
  get leftMs(): number {
    return this.#current === null ? 0 : Math.max(this.#current.nextAt - this.#timer.steady(), 0);
  }

  /** Notes a refused attempt. False: there were enough. */
  postpone(error: unknown): boolean {
    const now = this.#timer.steady();
    const { since, count } = this.#current ?? { since: now, count: 0 };
    if (now - since >= enoughMs) return false;
    const delayMs = Math.min(firstDelayMs * 2 ** count, longestDelayMs);
    this.#current = { since, count: count + 1, nextAt: now + delayMs };
    this.#lastError = error ?? new Error('unknown');
    return true;
  }

  end(): void {
    this.#current = null;
    this.#lastError = null;
  }
}
