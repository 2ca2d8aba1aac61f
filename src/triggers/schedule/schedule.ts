import type { FiringReason } from '../../contract/firings.ts';
import type { Logger } from '../../shared/log.ts';
import type { Text } from '../../shared/text.ts';
import type { FiringResult, FiringRuns } from '../firing-runs.ts';
import type { ScheduleTrigger, TriggerProblem } from '../trigger.ts';
import type { Firing, TriggerStore } from '../trigger-store.ts';
import { adaptToClock } from './adapt-to-clock.ts';
import { afterEnd, afterRefusal, unableNotice } from './alarm.ts';
import { countSlots } from './count-slots.ts';
import { slotAfter } from './cron.ts';
import { graceMs, planStep, type Step } from './plan.ts';
import {
  isoOf,
  jitterOf,
  newPosition,
  type OffReason,
  type Position,
  parsePosition,
  ruleOf,
  ruleText,
  slotKey,
} from './position.ts';
import { Postponement } from './postponement.ts';
import { type Skip, skippedSlots } from './skipped-slots.ts';
import type { WallTimer } from './wall-timer.ts';

export interface ScheduleOptions {
  store: TriggerStore;
  runs: FiringRuns;
  timer: WallTimer;
  log: Logger;
  /** Shows the user what went wrong. */
  notify: (text: Text, trigger?: ScheduleTrigger) => void;
  /** The clock was set back so far that a schedule goes on from now. */
  onReset: (from: number, to: number) => void;
  /** How long the key of a run is kept. */
  keysKeptMs: number;
}

const longestDetail = 500;

/** A slot that waits looks again after this time. */
const lookAgainMs = 30_000;

/** A script may be missing or broken for a moment, for example during an update. */
const unableMs = 60_000;

/**
 * One schedule: fires its slots in order, and records what became of each. Every decision follows from the stored position, which
 * changes together with the record of a slot. So a kill at any moment neither repeats a slot nor loses one.
 */
export class Schedule {
  readonly id: string;
  readonly #options: ScheduleOptions;
  readonly #postponement: Postponement;
  #trigger: ScheduleTrigger | null = null;
  #position: Position | null;
  #jitter = 0;
  /** Why it is off. */
  #offReason: OffReason = 'paused';
  #isClosed = false;

  constructor(id: string, stored: Position | null, options: ScheduleOptions) {
    this.id = id;
    this.#position = stored;
    this.#options = options;
    this.#postponement = new Postponement(options.timer);
  }

  /** Null while it is off. */
  get trigger(): ScheduleTrigger | null {
    return this.#trigger;
  }

  /** All slots up to this time are dealt with; null if that is not known. */
  get at(): number | null {
    return this.#position?.at ?? null;
  }

  /** Why the first slot cannot start yet. */
  get problem(): TriggerProblem | null {
    return this.#postponement.problem;
  }

  /** Switches it on, or changes it. Returns whether anything changed. */
  turnOn(trigger: ScheduleTrigger): boolean {
    if (trigger === this.#trigger) return false;
    const { store, timer } = this.#options;
    const now = timer.now();
    const isStart = this.#trigger === null;
    if (isStart) {
      // The trigger may have been removed, and its records with it.
      const stored = store.position(this.id);
      this.#position = stored === null ? null : parsePosition(stored);
    } else this.#leaveWaiting(ruleText(trigger));
    const known = this.#position;
    if (known === null || known.rule !== ruleText(trigger)) {
      this.#postponement.end();
      const begun = newPosition(trigger, timer.zone(), now);
      // Its user may know already that its runs fail.
      const { failures, isAlarmed } = known ?? begun;
      this.#commit({ ...begun, failures, isAlarmed }, isStart ? this.#startedBefore(trigger) : []);
    } else if (isStart) {
      const { off, waiting } = known;
      const isLong = waiting !== null && now - waiting > Math.max(trigger.missedWithinMs, graceMs);
      if (off?.until === null) this.#commit({ ...known, off: { ...off, until: now }, waiting: null });
      else if (isLong) this.#commit({ ...known, waiting: null });
    }
    this.#trigger = trigger;
    this.#jitter = jitterOf(trigger);
    return true;
  }

  /** Returns whether it is off against the will of its user, so that its slots must be watched. */
  turnOff(reasonOf: (id: string) => OffReason): boolean {
    const position = this.#position;
    this.#trigger = null;
    this.#postponement.end();
    const reason = reasonOf(this.id);
    this.#offReason = reason;
    const isWatched = reason !== 'paused';
    if (position === null || position.off?.until === null) return isWatched;
    const now = this.#options.timer.now();
    const { off, at } = position;
    // A pause is a decision of the user. A script may be missing or broken for a moment, for example during an update.
    const begin = reason === 'paused' ? at : Math.max(now, at);
    const since = off !== null && off.until !== null && off.until > at ? Math.min(off.since, begin) : begin;
    this.#commit({ ...position, off: { reason, since, until: null } });
    return isWatched;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** A run has ended, with all its retries. */
  noteEnd(isSuccess: boolean): void {
    const [trigger, position] = [this.#trigger, this.#position];
    if (position === null) return;
    // A trigger that was removed, or is of another kind now, must not leave a position to the one that has its id.
    if (trigger === null && parsePosition(this.#options.store.position(this.id) ?? '') === null) return;
    const { changes, notice } = afterEnd(this.id, position, isSuccess);
    const { failures, isAlarmed } = position;
    if (changes.failures !== failures || changes.isAlarmed !== isAlarmed)
      this.#commit({ ...position, ...changes });
    if (notice !== null && trigger !== null) this.#options.notify(notice, trigger);
  }

  /** Deals with all slots that are due. Returns the wall time at which to call it again; null if it need not be called again. */
  async work(): Promise<number | null> {
    this.#recoverStart();
    for (;;) {
      const [trigger, position] = [this.#trigger, this.#position];
      if (this.#isClosed || position === null) return null;
      if (trigger === null) return this.#watchOff(position);
      const { runs, timer } = this.#options;
      const now = timer.now();
      if (this.#adapt(trigger, position, now)) continue;
      const isLive = runs.isLive(this.id);
      const step = planStep({ trigger, position, jitter: this.#jitter, now, isLive });
      switch (step.kind) {
        case 'wait':
          if (this.#moveToZone(trigger, position, now)) continue;
          return step.until;
        case 'skip':
          this.#skip(trigger, position, step);
          continue;
        case 'hold':
          this.#markWaiting(trigger, position, step);
          return Math.min(step.until ?? Infinity, now + lookAgainMs);
        case 'fire': {
          const { leftMs, lastError } = this.#postponement;
          const supersededAt = this.#supersededAt(trigger, position, step.slot);
          if (lastError !== null && supersededAt <= now)
            this.#refuse(trigger, step.slot, lastError, 'cannot-start');
          else if (leftMs > 0) return Math.min(now + leftMs, supersededAt);
          else await this.#fire(trigger, position, step);
        }
      }
    }
  }

  /** Notifies the user when a slot passes that could not fire. Returns when to look again; null: never. */
  #watchOff(position: Position): number | null {
    const [rule, reason, since] = [ruleOf(position), this.#offReason, position.off?.since];
    if (rule === null || since === undefined || reason === 'paused' || position.isAlarmed) return null;
    const slot = slotAfter(rule, position.zone, Math.max(since, position.at));
    if (slot === null) return null;
    const due = Math.max(slot, since) + unableMs;
    if (due > this.#options.timer.now()) return due;
    this.#commit({ ...position, isAlarmed: true });
    this.#options.notify(unableNotice(this.id, slot, reason));
    return null;
  }

  /** A service that was killed may have started the run of a slot without recording it. */
  #recoverStart(): void {
    const [trigger, position] = [this.#trigger, this.#position];
    const slot = position?.starting ?? null;
    if (trigger === null || position === null || slot === null) return;
    const { runs, timer, keysKeptMs } = this.#options;
    const runId = runs.find(trigger, slotKey(this.id, slot));
    if (runId !== null) this.#record(trigger, slot, { ...fired, runId });
    else if (timer.now() - slot < keysKeptMs) this.#commit({ ...position, starting: null });
    else {
      // The key is forgotten. Its run may have started.
      const detail = 'its run may have started before Hob was stopped';
      this.#record(trigger, slot, { outcome: 'skipped', reason: 'missed-too-long', detail, runId: null });
    }
  }

  /** The run that was started when the service was killed, if its schedule was edited since. */
  #startedBefore(trigger: ScheduleTrigger): Firing[] {
    const slot = this.#position?.starting ?? null;
    const key = slot === null ? null : slotKey(this.id, slot);
    const runId = key === null ? null : this.#options.runs.find(trigger, key);
    if (slot === null || key === null || runId === null) return [];
    return [{ ...this.#firing(slot, key), ...fired, runId }];
  }

  /** Returns whether the position changed. */
  #adapt(trigger: ScheduleTrigger, before: Position, now: number): boolean {
    const { position, isReset } = adaptToClock(before, now);
    if (position === before) return false;
    const count = isReset ? countSlots(trigger, before.zone, now, before.at) : 0;
    const back = {
      ...this.#firing(before.at, `schedule:${this.id}:back:${isoOf(now)}`),
      outcome: 'skipped',
      reason: 'clock-back',
      detail: `${count} slots from ${isoOf(now)} to ${isoOf(before.at)}`,
    } as const;
    this.#commit(position, count > 0 ? [back] : []);
    if (isReset) this.#options.onReset(before.at, now);
    return true;
  }

  /** No slot of the zone before is due any more. Returns whether the zone of the machine changed. */
  #moveToZone(trigger: ScheduleTrigger, position: Position, now: number): boolean {
    const { zone } = position;
    const current = this.#options.timer.zone();
    if (current === zone || trigger.cron === null || trigger.timezone !== null) return false;
    this.#options.log.info({ trigger: this.id, from: zone, to: current }, 'a schedule follows the time zone');
    this.#commit({ ...position, zone: current, at: Math.max(position.at, now) });
    return true;
  }

  #markWaiting(
    trigger: ScheduleTrigger,
    position: Position,
    { slot, isMissed }: { slot: number; isMissed: boolean },
  ): void {
    // Missed slots that are all made up for keep their order without a mark.
    const waiting = isMissed && trigger.missed === 'all' ? null : slot;
    if (position.waiting !== waiting || position.starting !== null)
      this.#commit({ ...position, waiting, starting: null });
  }

  /** A schedule that makes up for nothing gives up a slot when the next one is due. */
  #supersededAt(trigger: ScheduleTrigger, { zone }: Position, slot: number): number {
    const following = trigger.missed === 'skip' ? slotAfter(trigger, zone, slot) : null;
    return following === null ? Infinity : following + this.#jitter;
  }

  async #fire(trigger: ScheduleTrigger, position: Position, step: Step & { kind: 'fire' }): Promise<void> {
    const { runs, log } = this.#options;
    const { slot } = step;
    const key = slotKey(this.id, slot);
    if (this.#hasFired(key)) {
      this.#commit({ ...position, at: slot, starting: null, waiting: null });
      return;
    }
    this.#commit({ ...position, starting: slot });
    let result: FiringResult | { readonly kind: 'failed'; readonly error: unknown };
    try {
      result = await runs.start({ trigger, key });
    } catch (error) {
      log.error({ err: error, trigger: this.id }, 'cannot start the run of a schedule');
      result = { kind: 'failed', error };
    }
    if (result.kind === 'started') {
      this.#postponement.end();
      this.#record(trigger, slot, { ...fired, runId: result.runId });
    } else if (result.kind === 'failed') this.#postpone(trigger, step, result.error);
    // Its run was removed from the history since.
    else if (result.reason === 'repeated') this.#record(trigger, slot, fired);
    else if (result.isLasting) this.#refuse(trigger, slot, result.error, result.reason);
    else this.#postpone(trigger, step, result.error);
  }

  /** The run of a slot could not start, for a reason that may pass. */
  #postpone(trigger: ScheduleTrigger, step: { slot: number; isMissed: boolean }, error: unknown): void {
    const { log } = this.#options;
    const { slot } = step;
    const position = this.#position;
    // The slot stays due until the schedule is on again, or the next service starts.
    if (this.#trigger === null || position === null || this.#isClosed) return;
    if (position.starting !== slot) {
      // It was edited meanwhile, and the slot will not come again.
      this.#refuse(trigger, slot, error, 'cannot-start');
      return;
    }
    this.#markWaiting(trigger, position, step);
    if (!this.#postponement.postpone(error)) this.#refuse(trigger, slot, error, 'cannot-start');
    else log.warn({ trigger: this.id, slot: isoOf(slot), err: error }, 'a run cannot start yet');
  }

  /** Records that the run of a slot cannot start. */
  #refuse(trigger: ScheduleTrigger, slot: number, error: unknown, reason: FiringReason): void {
    this.#postponement.end();
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, longestDetail);
    const alarm = this.#position && afterRefusal(this.id, this.#position, { slot, error });
    this.#record(trigger, slot, { outcome: 'refused', reason, detail, runId: null }, alarm?.changes);
    if (alarm?.notice) this.#options.notify(alarm.notice, trigger);
  }

  /** Records what became of a slot, and moves the position there. */
  #record(
    trigger: ScheduleTrigger,
    slot: number,
    end: Pick<Firing, 'outcome' | 'reason' | 'detail' | 'runId'>,
    changes: Partial<Position> = {},
  ): void {
    const position = this.#position;
    // The trigger was removed while its run started.
    if (position === null || (this.#trigger === null && this.#options.store.position(this.id) === null))
      return;
    const key = slotKey(this.id, slot);
    // The slot was left out before the clock was set back.
    const isSecond = this.#options.store.find(this.id, key) !== null;
    const firing = { ...this.#firing(slot, isSecond ? secondKey(key) : key), ...end };
    // A trigger that was edited meanwhile has begun again.
    const isSame = position.rule === ruleText(trigger);
    const place = isSame ? { at: slot, starting: null, waiting: null } : {};
    this.#commit({ ...position, ...place, ...changes }, [firing]);
  }

  /** A slot that was left out or refused may fire when the clock was set back and it comes again. */
  #hasFired(key: string): boolean {
    const { store } = this.#options;
    return [key, secondKey(key)].some((one) => store.find(this.id, one)?.outcome === 'fired');
  }

  #skip(rule: ScheduleTrigger, position: Position, skip: Skip): void {
    const { timer, log } = this.#options;
    const { to, reason } = skip;
    const firings = skippedSlots(rule, position, { ...skip, now: timer.now() });
    this.#commit({ ...position, at: to, starting: null, waiting: null }, firings);
    const fields = { trigger: this.id, reason, records: firings.length, to: isoOf(to) };
    // A schedule of seconds may overlap each second.
    log[reason === 'overlap' ? 'debug' : 'info'](fields, 'skipped slots of a schedule');
  }

  /** A slot that waits will not come again after an edit. */
  #leaveWaiting(rule: string): void {
    const [trigger, position] = [this.#trigger, this.#position];
    if (trigger === null || position === null || position.waiting === null || position.rule === rule) return;
    const reason = this.#options.runs.isLive(this.id) ? 'overlap' : 'cannot-start';
    this.#skip(trigger, position, { to: position.waiting, reason, detail: 'the schedule was edited' });
  }

  #firing(slot: number, key: string): Omit<Firing, 'outcome' | 'reason'> {
    return {
      triggerId: this.id,
      key,
      dueAt: isoOf(slot),
      recordedAt: isoOf(this.#options.timer.now()),
      detail: null,
      runId: null,
    };
  }

  /** Stores a position together with the records of the slots that it is past. */
  #commit(position: Position, firings: readonly Firing[] = []): void {
    const { store } = this.#options;
    const text = JSON.stringify(position);
    if (firings.length === 0) store.setPosition(this.id, text);
    else
      store.atomically(
        () => {
          for (const firing of firings) store.record(firing);
          store.setPosition(this.id, text);
        },
        { durable: false },
      );
    this.#position = position;
  }
}

/** The key of the record of a slot that comes again. */
function secondKey(key: string): string {
  return `${key}:again`;
}

const fired = { outcome: 'fired', reason: null, detail: null, runId: null } as const;
