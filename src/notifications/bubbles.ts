import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import type { Bubble, Desktop } from './desktop/desktop.ts';

interface BubblesOptions {
  desktop: Pick<Desktop, 'show'>;
  /** Language of the desktop user. */
  language: Language;
  log: Logger;
}

/** Maximum number of notifications that a user can read in the time span. */
const most = 8;
const windowMs = 4000;
/** A flood ends when no notification has arrived for this time. */
const pauseMs = 1000;
const summaryMs = 8000;

/** Notifications that were not shown since the last summary. */
interface Left {
  readonly count: number;
  readonly hasError: boolean;
  readonly last: Bubble;
  readonly lastMs: number;
}

/**
 * Shows notifications on the desktop, one after the other, and never more than a user can read. Notifications of a flood are
 * counted, and one bubble reports their number at the end of the flood.
 */
export class Bubbles {
  readonly #options: BubblesOptions;
  /** Times of the latest notifications, oldest first. */
  readonly #taken: number[] = [];
  readonly #waiting: Bubble[] = [];
  #isShowing = false;
  #left: Left | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: BubblesOptions) {
    this.#options = options;
  }

  /** Returns immediately, even if the desktop hangs. */
  show(bubble: Bubble): void {
    const waitMs = this.#waitMs();
    // Limit the queue for a slow desktop: later notifications would appear long after their event.
    if (waitMs === 0 && this.#timer === null && this.#waiting.length < most) {
      this.#take(bubble);
      return;
    }
    this.#left = {
      count: (this.#left?.count ?? 0) + 1,
      hasError: this.#left?.hasError === true || bubble.type === 'error',
      last: bubble,
      lastMs: performance.now(),
    };
    this.#tellLater(waitMs || windowMs);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  /** Milliseconds until the next notification may be shown. */
  #waitMs(): number {
    const [oldest] = this.#taken.slice(-most);
    if (this.#taken.length < most || oldest === undefined) return 0;
    return Math.max(0, oldest + windowMs - performance.now());
  }

  #take(bubble: Bubble): void {
    this.#taken.push(performance.now());
    if (this.#taken.length > most) this.#taken.shift();
    this.#waiting.push(bubble);
    void this.#showWaiting();
  }

  #tellLater(waitMs: number): void {
    this.#timer ??= setTimeout(() => this.#tell(), waitMs).unref();
  }

  #tell(): void {
    this.#timer = null;
    const left = this.#left;
    this.#left = null;
    if (left === null) return;
    const { count, hasError, last, lastMs } = left;
    this.#take(count === 1 ? last : summarize(count, hasError, this.#options.language));
    // During a flood, single notifications say no more than the count.
    if (count > most && performance.now() - lastMs < pauseMs) this.#tellLater(windowMs);
  }

  async #showWaiting(): Promise<void> {
    if (this.#isShowing) return;
    this.#isShowing = true;
    for (let bubble = this.#waiting.shift(); bubble !== undefined; bubble = this.#waiting.shift()) {
      try {
        await this.#options.desktop.show(bubble);
      } catch (error) {
        this.#options.log.error({ err: error }, 'cannot show a notification');
      }
    }
    this.#isShowing = false;
  }
}

function summarize(count: number, hasError: boolean, language: Language): Bubble {
  const text: Text = {
    en: `${count} more notifications`,
    zh: `另有 ${count} 条通知`,
  };
  return {
    type: hasError ? 'error' : 'info',
    title: 'Hob',
    message: text[language],
    durationMs: summaryMs,
    showClose: false,
    address: null,
  };
}
