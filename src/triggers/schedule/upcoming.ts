import type { Text } from '../../shared/text.ts';
import type { ScheduleTrigger } from '../trigger.ts';
import { slotAfter } from './cron.ts';
import { jitterOf } from './position.ts';
import type { WallTimer } from './wall-timer.ts';
import { scheduleWords } from './words.ts';

/** As many times as a status shows. */
const shownTimes = 5;

interface Known {
  readonly words: Text;
  readonly zone: string;
  /** When it was calculated. */
  readonly now: number;
  /** Slots, without the delay of the schedule. */
  readonly slots: readonly number[];
}

/** The next times of schedules, kept until the first of them passes: a list of 10,000 triggers asks for all. */
export class Upcoming {
  readonly #timer: WallTimer;
  readonly #known = new WeakMap<ScheduleTrigger, Known>();

  constructor(timer: WallTimer) {
    this.#timer = timer;
  }

  /** `at`: slots up to this time have been dealt with; null if that is not known. */
  of(trigger: ScheduleTrigger, at: number | null): { next: Date[]; words: Text } {
    const [now, zone, jitter] = [this.#timer.now(), this.#timer.zone(), jitterOf(trigger)];
    const before = this.#known.get(trigger);
    const isValid = before !== undefined && before.zone === zone && before.now <= now;
    const from = Math.max(now - jitter, at ?? now);
    const slots = isValid ? before.slots.filter((slot) => slot > from) : [];
    let last = slots.at(-1) ?? from;
    while (slots.length < shownTimes) {
      const slot = slotAfter(trigger, zone, last);
      if (slot === null) break;
      slots.push(slot);
      last = slot;
    }
    const words = before?.words ?? scheduleWords(trigger);
    this.#known.set(trigger, { words, zone, now, slots });
    return { next: slots.map((slot) => new Date(slot + jitter)), words };
  }
}
