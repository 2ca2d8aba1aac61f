import type { FiringReason } from '../../contract/firings.ts';
import type { ScheduleTrigger } from '../trigger.ts';
import { beforeNewest, countSlots, lastSlot } from './count-slots.ts';
import { slotAfter } from './cron.ts';
import type { Position } from './position.ts';

/** A slot that is late by this much, because the machine is busy, still counts as on time. */
export const graceMs = 60_000;

/** The same if the following slot is due as well, so that a schedule of seconds does not start many runs at once after a sleep. */
const shortGraceMs = 5000;

/** With `missed = "all"` each slot is wanted, so one that is late by this much waits for the run before it. */
const wantedGraceMs = 1000;

/** `missed = "all"` makes up for so many slots. */
const mostMadeUp = 100;

/** The next step of a schedule. */
export type Step =
  /** Nothing is due before this time; null: never. */
  | { readonly kind: 'wait'; readonly until: number | null }
  /** All slots after the position up to `to` are left out. */
  | {
      readonly kind: 'skip';
      readonly to: number;
      readonly reason: FiringReason;
      readonly detail: string | null;
    }
  | { readonly kind: 'fire'; readonly slot: number; readonly isMissed: boolean }
  /** The slot waits for the end of a run, or until the next slot is due. */
  | {
      readonly kind: 'hold';
      readonly slot: number;
      readonly isMissed: boolean;
      readonly until: number | null;
    };

export interface Situation {
  readonly trigger: ScheduleTrigger;
  readonly position: Position;
  /** The fixed delay of the schedule. */
  readonly jitter: number;
  readonly now: number;
  /** Whether a run of the trigger has not ended. */
  readonly isLive: boolean;
}

/** Decides about the first slot after the position. It depends on nothing else, so a restart cannot change the order of slots. */
export function planStep(situation: Situation): Step {
  const { trigger, position, jitter, now } = situation;
  const { at, zone, off, waiting } = position;
  const slot = slotAfter(trigger, zone, at);
  if (slot === null) return { kind: 'wait', until: null };
  const wasOff = off !== null && off.until !== null && slot <= off.until ? off : null;
  if (wasOff !== null && wasOff.until !== null && slot > wasOff.since)
    return { kind: 'skip', to: wasOff.until, reason: wasOff.reason, detail: null };
  if (slot + jitter > now) return { kind: 'wait', until: slot + jitter };
  const following = slotAfter(trigger, zone, slot);
  const isFollowed = following !== null && following + jitter <= now;
  const shortMs = trigger.missed === 'all' ? wantedGraceMs : shortGraceMs;
  const lateMs = trigger.missed === 'all' || isFollowed ? shortMs : graceMs;
  if (slot === waiting || slot + jitter >= now - lateMs) return begin(situation, slot, false);
  return missedStep(situation, slot, { offSince: wasOff === null ? Infinity : wasOff.since, shortMs });
}

/** Missed slots after `offSince` are not missed: the schedule was off. Nor are those that are late by less than `shortMs`. */
function missedStep(
  situation: Situation,
  slot: number,
  { offSince, shortMs }: { offSince: number; shortMs: number },
): Step {
  const { trigger, position, jitter, now } = situation;
  const { at, zone } = position;
  const dueBefore = now - jitter;
  const latest = trigger.missed === 'all' ? null : lastSlot(trigger, zone, at, dueBefore);
  const onTime = latest !== null && latest >= dueBefore - graceMs ? latest : Infinity;
  const to = Math.min(dueBefore - shortMs - 1, onTime - 1, offSince);
  if (trigger.missed === 'skip') return { kind: 'skip', to, reason: 'missed', detail: null };
  const tooOld = Math.min(to, dueBefore - trigger.missedWithinMs - 1);
  if (slot <= tooOld) return { kind: 'skip', to: tooOld, reason: 'missed-too-long', detail: null };
  if (trigger.missed === 'once') {
    const last = lastSlot(trigger, zone, at, to) ?? slot;
    if (last > slot) return { kind: 'skip', to: last - 1, reason: 'missed-merged', detail: null };
  } else if (countSlots(trigger, zone, at, to) > mostMadeUp) {
    const first = beforeNewest(trigger, zone, { after: at, to, count: mostMadeUp });
    const detail = `only the latest ${mostMadeUp} are made up for`;
    return { kind: 'skip', to: first, reason: 'missed', detail };
  }
  return begin(situation, slot, true);
}

/** A slot that is to start a run, unless the previous run has not ended. */
function begin({ trigger, position, jitter, now, isLive }: Situation, slot: number, isMissed: boolean): Step {
  const { zone } = position;
  if (!isLive || trigger.overlap === 'allow') return { kind: 'fire', slot, isMissed };
  const following = slotAfter(trigger, zone, slot);
  const until = following === null ? null : following + jitter;
  // All missed slots are wanted, so they run one after the other.
  if (isMissed && trigger.missed === 'all') return { kind: 'hold', slot, isMissed, until: null };
  if (trigger.overlap === 'skip') return { kind: 'skip', to: slot, reason: 'overlap', detail: null };
  // Only the latest slot waits.
  if (until === null || until > now) return { kind: 'hold', slot, isMissed, until };
  return { kind: 'skip', to: slot, reason: 'overlap', detail: null };
}
