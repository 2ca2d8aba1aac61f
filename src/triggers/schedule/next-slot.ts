import type { CronFields } from './cron-fields.ts';
import type { ZoneOffsets } from './zone-offsets.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Each date, including 29 February, falls on each weekday within this time. */
const farthestMs = 41 * 366 * dayMs;

/** More than the largest offset between a local time and UTC, and more than any change of it. */
const marginMs = 3 * dayMs;

/**
 * The first instant after `after` at which a cron expression fires, in milliseconds since 1970; null if there is none.
 *
 * An expression for every hour fires whenever the clock shows a matching time, so it keeps its rhythm through changes of daylight
 * saving time. Any other fires once for each time that it names: at the end of the gap if the clock skips that time, and only the first
 * time if the clock shows it twice.
 */
export function nextSlot(cron: CronFields, offsets: ZoneOffsets, after: number): number | null {
  const isEveryHour = cron.hours.length === 24;
  let from = Math.floor(after / secondMs) * secondMs + secondMs;
  for (;;) {
    const { start, end, offsetMs, offsetBeforeMs } = offsets.at(from);
    // Within this period, local times before this one were shown before the clock was set back.
    const fresh = isEveryHour ? -Infinity : start + offsetBeforeMs;
    if (from === start && fresh < start + offsetMs) {
      const skipped = nextLocalTime(cron, fresh);
      if (skipped !== null && skipped < start + offsetMs) return start;
    }
    const local = nextLocalTime(cron, Math.max(from + offsetMs, fresh));
    if (local === null || local - from > farthestMs) return null;
    if (local - offsetMs < end) return local - offsetMs;
    from = Math.max(end, local - marginMs);
  }
}

/** The first matching local time that is not before `from`. Local times are written as if they were UTC. */
export function nextLocalTime(cron: CronFields, from: number): number | null {
  let midnight = Math.floor(from / dayMs) * dayMs;
  let earliest = from - midnight;
  for (const end = from + farthestMs; midnight < end; earliest = 0) {
    const date = new Date(midnight);
    if (!cron.months.includes(date.getUTCMonth() + 1)) {
      midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      continue;
    }
    const time = isDay(cron, date) ? nextTimeOfDay(cron, earliest) : null;
    if (time !== null) return midnight + time;
    midnight += dayMs;
  }
  return null;
}

export function isDay({ days, weekdays, isEitherDay }: CronFields, date: Date): boolean {
  const [isDate, isWeekday] = [days.includes(date.getUTCDate()), weekdays.includes(date.getUTCDay())];
  return isEitherDay ? isDate || isWeekday : isDate && isWeekday;
}

function nextTimeOfDay({ hours, minutes, seconds }: CronFields, earliest: number): number | null {
  for (const hour of hours) {
    if ((hour + 1) * hourMs <= earliest) continue;
    for (const minute of minutes) {
      const time = hour * hourMs + minute * minuteMs;
      if (time + minuteMs <= earliest) continue;
      for (const second of seconds) if (time + second * secondMs >= earliest) return time + second * secondMs;
    }
  }
  return null;
}
