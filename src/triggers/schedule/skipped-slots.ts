import type { ScheduleTrigger } from '../trigger.ts';
import type { Firing } from '../trigger-store.ts';
import { beforeNewest, countSlots, lastSlot } from './count-slots.ts';
import { slotAfter } from './cron.ts';
import type { Step } from './plan.ts';
import { isoOf, type Position, slotKey } from './position.ts';

/** More skipped slots than this share a record. */
const recordedSlots = 100;

/** The part of a step that says which slots are left out, and why. */
export type Skip = Pick<Step & { kind: 'skip' }, 'to' | 'reason' | 'detail'>;

/** The records of slots that are left out: one for each of the newest hundred, and one for all before them. */
export function skippedSlots(
  trigger: ScheduleTrigger,
  { at, zone }: Position,
  { to, reason, detail, now }: Skip & { now: number },
): Firing[] {
  const count = countSlots(trigger, zone, at, to);
  const single = beforeNewest(trigger, zone, { after: at, to, count: recordedSlots });
  const skipped = {
    triggerId: trigger.id,
    recordedAt: isoOf(now),
    outcome: 'skipped',
    reason,
    runId: null,
  } as const;
  const firings: Firing[] = [];
  if (count > recordedSlots) {
    const first = isoOf(slotAfter(trigger, zone, at) ?? at);
    const last = isoOf(lastSlot(trigger, zone, at, single) ?? single);
    const range = `${count - recordedSlots} slots from ${first} to ${last}`;
    const facts = detail === null ? range : `${range}; ${detail}`;
    firings.push({ ...skipped, key: `schedule:${trigger.id}:${first}/${last}`, dueAt: last, detail: facts });
  }
  let slot = slotAfter(trigger, zone, single);
  for (; slot !== null && slot <= to; slot = slotAfter(trigger, zone, slot))
    firings.push({ ...skipped, key: slotKey(trigger.id, slot), dueAt: isoOf(slot), detail });
  return firings;
}
