import { randomUUID } from 'node:crypto';

import type { OutgoingFormat, OutgoingSelection } from '../../contract/values.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Language, Text } from '../../shared/text.ts';
import type { KeptNotification, OutgoingStore } from '../notification-store.ts';
import { describeFailure, type OutgoingFailure } from './describe-failure.ts';
import { type Addressed, formatMessage } from './format-message.ts';
import { post as postOnce } from './post.ts';

interface OutgoingOptions {
  readonly url: URL;
  readonly format: OutgoingFormat;
  readonly send: OutgoingSelection;
  readonly store: OutgoingStore;
  readonly addressOf: (runId: string) => Addressed['address'];
  readonly clock: Clock;
  readonly log: Logger;
  /** The language of the desktop user, for the text of the test. */
  readonly language: Language;
  readonly version: string;
  readonly post?: typeof postOnce;
}

/** One request to the URL of the user. */
export interface DeliveryAttempt {
  readonly at: string;
  readonly isDelivered: boolean;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly failure: OutgoingFailure | null;
}

export interface OutgoingState {
  /** The scheme, host and port of the URL. */
  readonly origin: string;
  readonly format: OutgoingFormat;
  readonly send: OutgoingSelection;
  readonly waiting: number;
  /** The latest request since the service started. */
  readonly last: DeliveryAttempt | null;
}

interface Waiting {
  readonly notification: KeptNotification;
  attempts: number;
}

const second = 1000;
const minute = 60 * second;
/** Pauses after the first, second, ... failure in a row. Later ones last as long as the last of these. */
const pausesMs = [second, 5 * second, 30 * second, 2 * minute, 10 * minute];
/** Many servers accept one message per second. */
const gapMs = second;
const mostWaiting = 200;
/** A notification that is older no longer helps. */
const longestAgeMs = 24 * 60 * minute;

const testMessage: Text = {
  en: 'This is a test. Notifications of Hob arrive here.',
  zh: '这是一条测试消息。Hob 的通知会发送到这里。',
};

/**
 * Sends notifications to the URL of the user: one request at a time, in order, and again after a failure that may pass.
 * Notifications that wait are marked in the database, so that a restart does not lose them. A service that is killed
 * between an answer and the removal of the mark sends the notification again.
 */
export class Outgoing {
  readonly #options: OutgoingOptions;
  readonly #closing = new AbortController();
  readonly #waiting: Waiting[] = [];
  #last: DeliveryAttempt | null = null;
  /** Failures since the last delivery. */
  #failures = 0;
  #isFailing = false;
  #isFull = false;
  #isStoring = true;
  #isSending = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  get state(): OutgoingState {
    const { url, format, send } = this.#options;
    return { origin: url.origin, format, send, waiting: this.#waiting.length, last: this.#last };
  }

  /** Continues with the notifications that an earlier service did not deliver. */
  start(): void {
    const unsent = this.#options.store.unsent();
    const known = new Set(this.#waiting.map(({ notification }) => notification.id));
    const earlier = unsent.filter(({ id }) => !known.has(id));
    this.#waiting.unshift(...earlier.map((notification) => ({ notification, attempts: 0 })));
    this.#sendAfter(0);
  }

  /** Whether the user wants this notification at the URL. */
  wants({ type }: Pick<KeptNotification, 'type'>): boolean {
    return this.#options.send !== 'errors' || type === 'error';
  }

  /** Returns immediately. The notification is stored already, as one that must be sent. */
  take(notification: KeptNotification): void {
    if (!this.wants(notification)) return;
    this.#waiting.push({ notification, attempts: 0 });
    this.#limit();
    this.#sendAfter(0);
  }

  /** Sends a test now, once, and returns what happened. */
  async test(signal: AbortSignal): Promise<DeliveryAttempt> {
    const { language } = this.#options;
    const notification: KeptNotification = {
      id: randomUUID(),
      type: 'info',
      message: testMessage[language],
      durationMs: 0,
      showClose: false,
      runId: null,
      scriptId: null,
      scriptName: null,
      end: null,
      at: this.#options.clock.now().toISOString(),
    };
    const { attempt } = await this.#attempt(notification, AbortSignal.any([signal, this.#closing.signal]));
    if (attempt.isDelivered && !this.#isSending) {
      // The URL works now, so the others need not wait any longer.
      this.#clearTimer();
      this.#sendAfter(gapMs);
    }
    return attempt;
  }

  /** Does not wait for a slow server: notifications that are not delivered stay marked for the next service. */
  close(): void {
    this.#clearTimer();
    this.#closing.abort();
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #sendAfter(pauseMs: number): void {
    if (this.#closing.signal.aborted || this.#isSending || this.#waiting.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#sendNext();
    }, pauseMs).unref();
  }

  async #sendNext(): Promise<void> {
    this.#dropOld();
    const next = this.#next();
    if (next === undefined) return;
    this.#isSending = true;
    const { attempt, mayPass, retryAfterMs } = await this.#attempt(next.notification, this.#closing.signal);
    this.#isSending = false;
    if (this.#closing.signal.aborted) return;
    if (attempt.isDelivered || !mayPass) {
      this.#remove(next);
      this.#sendAfter(gapMs);
      return;
    }
    next.attempts += 1;
    const pauseMs = pausesMs[Math.min(this.#failures, pausesMs.length) - 1] ?? 0;
    this.#sendAfter(Math.max(pauseMs, Math.min(retryAfterMs ?? 0, longestAgeMs)));
  }

  /** The oldest. While the URL fails, the one with the fewest attempts: its server may fail because of one of them. */
  #next(): Waiting | undefined {
    const [oldest] = this.#waiting;
    if (this.#failures === 0) return oldest;
    return this.#waiting.toSorted((a, b) => a.attempts - b.attempts)[0];
  }

  async #attempt(notification: KeptNotification, signal: AbortSignal) {
    const { url, format, addressOf, clock, version, post = postOnce } = this.#options;
    const { runId } = notification;
    const { headers, body } = formatMessage(format, {
      ...notification,
      address: runId === null ? null : addressOf(runId),
    });
    const startedMs = performance.now();
    const message = { headers: { 'user-agent': `hob/${version}`, ...headers }, body };
    const result = await post(url, message, signal);
    const status = result.kind === 'answered' ? result.status : null;
    const isDelivered = status !== null && status >= 200 && status < 300;
    const attempt: DeliveryAttempt = {
      at: clock.now().toISOString(),
      isDelivered,
      status,
      durationMs: Math.round(performance.now() - startedMs),
      failure: isDelivered ? null : describeFailure(url, result),
    };
    if (!signal.aborted) this.#note(attempt);
    return {
      attempt,
      mayPass: status === null || status === 408 || status === 425 || status === 429 || status >= 500,
      retryAfterMs: result.kind === 'answered' ? result.retryAfterMs : null,
    };
  }

  #note(attempt: DeliveryAttempt): void {
    const { url, log } = this.#options;
    const to = url.origin;
    this.#last = attempt;
    this.#failures = attempt.isDelivered ? 0 : this.#failures + 1;
    const wasFailing = this.#isFailing;
    this.#isFailing = !attempt.isDelivered;
    if (wasFailing === this.#isFailing) return;
    if (attempt.failure === null) log.info({ to }, 'notifications are delivered again');
    else log.warn({ to, reason: attempt.failure.problem.en }, 'cannot deliver notifications');
  }

  #limit(): void {
    const isFull = this.#waiting.length > mostWaiting;
    if (isFull && !this.#isFull)
      this.#options.log.warn({ most: mostWaiting }, 'too many notifications wait; the oldest are not sent');
    this.#isFull = isFull || (this.#isFull && this.#waiting.length === mostWaiting);
    const [oldest] = this.#waiting;
    if (isFull && oldest !== undefined) this.#remove(oldest);
  }

  #dropOld(): void {
    const nowMs = this.#options.clock.now().getTime();
    const old = this.#waiting.filter(({ notification: { at } }) => nowMs - Date.parse(at) > longestAgeMs);
    for (const each of old) this.#remove(each);
    if (old.length > 0)
      this.#options.log.warn(
        { count: old.length },
        'gave up on notifications that could not be delivered for a day',
      );
  }

  #remove(waiting: Waiting): void {
    const index = this.#waiting.indexOf(waiting);
    if (index >= 0) this.#waiting.splice(index, 1);
    const { store, log } = this.#options;
    try {
      store.removeUnsent(waiting.notification.id);
      this.#isStoring = true;
    } catch (error) {
      // Logged once until it works again.
      if (this.#isStoring) log.warn({ err: error }, 'cannot store which notifications must still be sent');
      this.#isStoring = false;
    }
  }
}
