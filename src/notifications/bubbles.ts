import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import type { Bubble, Desktop } from './desktop/desktop.ts';

interface BubblesOptions {
  desktop: Pick<Desktop, 'show'>;
  /** Of the person at the desk. */
  language: Language;
  log: Logger;
}

/** More than this nobody can read at once. */
const most = 8;
const windowMs = 4000;
/** A flood whose last notification is longer ago is over. */
const pauseMs = 1000;
const summaryMs = 8000;

/** What was not shown, since it was last told. */
interface Left {
  readonly count: number;
  readonly hasError: boolean;
  readonly last: Bubble;
  readonly lastMs: number;
}

/**
 * Hands notifications to the desktop, one after the other and never more than can be read. Those of a flood are counted, and
 * told by one bubble when it is over.
 */
export class Bubbles {
  readonly #options: BubblesOptions;
  /** When the latest were taken, the oldest first. */
  readonly #taken: number[] = [];
  readonly #waiting: Bubble[] = [];
  #isShowing = false;
  #left: Left | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: BubblesOptions) {
    this.#options = options;
  }

  /** Returns at once, whatever the desktop does. */
  show(bubble: Bubble): void {
    const waitMs = this.#waitMs();
    // A desktop that takes its time holds up only so many: the rest would be shown long after it happened.
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

  /** How long until there is room for one more. */
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
    // In the midst of a flood the next few would say no more than the count does.
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
