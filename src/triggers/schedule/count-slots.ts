import { fieldsOf, type SlotRule, slotAfter } from './cron.ts';
import type { CronFields } from './cron-fields.ts';
import { isDay, nextLocalTime } from './next-slot.ts';
import { offsetsOf, type ZoneOffsets } from './zone-offsets.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The number of slots after `after` up to and including `to`. It takes a step for each day, not for each slot. */
export function countSlots(rule: SlotRule, machineZone: string, after: number, to: number): number {
  const { cron, everyMs, timezone } = rule;
  if (to <= after) return 0;
  if (everyMs !== null) return Math.floor(to / everyMs) - Math.floor(after / everyMs);
  return cron === null ? 0 : countTimes(fieldsOf(cron), offsetsOf(timezone ?? machineZone), after, to);
}

/** An instant after which the newest `count` slots up to `to` lie; `after` if there are not more. */
export function beforeNewest(
  rule: SlotRule,
  machineZone: string,
  { after, to, count }: { after: number; to: number; count: number },
): number {
  const left = (from: number) => countSlots(rule, machineZone, from, to);
  if (left(after) <= count) return after;
  let [low, high] = [after, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (left(middle) > count) low = middle;
    else high = middle;
  }
  return high;
}

/** The last slot after `after` up to and including `to`; null if there is none. */
export function lastSlot(rule: SlotRule, machineZone: string, after: number, to: number): number | null {
  const from = beforeNewest(rule, machineZone, { after, to, count: 1 });
  const slot = slotAfter(rule, machineZone, from);
  return slot === null || slot > to ? null : slot;
}

/** The same rules as in `nextSlot`, period by period. */
function countTimes(cron: CronFields, offsets: ZoneOffsets, after: number, to: number): number {
  const isEveryHour = cron.hours.length === 24;
  let count = 0;
  let from = Math.floor(after / secondMs) * secondMs + secondMs;
  while (from <= to) {
    const { start, end, offsetMs, offsetBeforeMs } = offsets.at(from);
    const fresh = isEveryHour ? -Infinity : start + offsetBeforeMs;
    if (from === start && fresh < start + offsetMs) {
      const skipped = nextLocalTime(cron, fresh);
      if (skipped !== null && skipped < start + offsetMs) {
        count++;
        from += secondMs;
      }
    }
    const last = Math.min(to, end - 1);
    if (from <= last) count += countLocal(cron, Math.max(from + offsetMs, fresh), last + offsetMs);
    from = Math.ceil((last + 1) / secondMs) * secondMs;
  }
  return count;
}

/** The number of matching local times from `from` to `to`, both included. */
function countLocal(cron: CronFields, from: number, to: number): number {
  const wholeDay = cron.hours.length * cron.minutes.length * cron.seconds.length;
  let count = 0;
  for (let midnight = Math.floor(from / dayMs) * dayMs; midnight <= to; midnight += dayMs) {
    const date = new Date(midnight);
    if (!cron.months.includes(date.getUTCMonth() + 1) || !isDay(cron, date)) continue;
    const isWhole = from <= midnight && midnight + dayMs - secondMs <= to;
    count += isWhole ? wholeDay : countOfDay(cron, from - midnight, to - midnight);
  }
  return count;
}

function countOfDay({ hours, minutes, seconds }: CronFields, from: number, to: number): number {
  let count = 0;
  for (const hour of hours)
    for (const minute of minutes) {
      const time = hour * hourMs + minute * minuteMs;
      if (time > to || time + minuteMs <= from) continue;
      if (from <= time && time + minuteMs - secondMs <= to) count += seconds.length;
      else for (const second of seconds) if (isWithin(time + second * secondMs, from, to)) count++;
    }
  return count;
}

function isWithin(time: number, from: number, to: number): boolean {
  return from <= time && time <= to;
}
