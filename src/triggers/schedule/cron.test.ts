import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkCron, nextSlots } from './cron.ts';

function slots(cron: string, timezone: string, after: string, count: number): string[] {
  const found = nextSlots({ cron, everyMs: null, timezone }, 'UTC', new Date(after), count);
  return found.map((slot) => slot.toISOString().slice(0, 16));
}

describe('a cron expression', () => {
  it('fires at the end of the gap when the clock skips its time', () => {
    const after = '2026-03-28T12:00Z';
    expect(slots('30 2 * * *', 'Europe/Berlin', after, 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
    // Several skipped times are one slot.
    expect(slots('0,30 2,3 * * *', 'Europe/Berlin', after, 3)).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T01:30',
      '2026-03-30T00:00',
    ]);
    expect(slots('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', 2)).toEqual([
      '2026-10-03T15:30',
      '2026-10-04T15:15',
    ]);
  });

  it('fires once when the clock shows its time twice', () => {
    expect(slots('30 2,14 * * *', 'Europe/Berlin', '2026-10-24T13:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T13:30',
      '2026-10-26T01:30',
    ]);
    // Asked within the repeated hour.
    expect(slots('30 2 * * *', 'Europe/Berlin', '2026-10-25T01:05Z', 1)).toEqual(['2026-10-26T01:30']);
    expect(slots('45 1 * * *', 'Australia/Lord_Howe', '2026-04-03T15:00Z', 2)).toEqual([
      '2026-04-04T14:45',
      '2026-04-05T15:15',
    ]);
  });

  it('keeps its rhythm through both changes if it fires in every hour', () => {
    const spring = slots('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 4);
    expect(spring).toEqual(['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30', '2026-03-29T02:00']);
    const autumn = slots('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 5);
    expect(autumn).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ]);
  });

  it('may name seconds in a sixth field, in front of the others', () => {
    const found = nextSlots(
      { cron: '*/20 59 23 * * *', everyMs: null, timezone: 'UTC' },
      'UTC',
      new Date('2026-01-01T23:59:20Z'),
      2,
    );
    expect(found.map((slot) => slot.toISOString())).toEqual([
      '2026-01-01T23:59:40.000Z',
      '2026-01-02T23:59:00.000Z',
    ]);
  });

  it('matches the date or the weekday if both are restricted, as in crontab', () => {
    expect(slots('0 0 13 * fri', 'UTC', '2026-11-10T00:00Z', 3)).toEqual([
      '2026-11-13T00:00',
      '2026-11-20T00:00',
      '2026-11-27T00:00',
    ]);
  });

  it('finds a slot that is many years away', () => {
    expect(slots('0 0 29 2 *', 'Europe/Berlin', '2096-03-01T00:00Z', 1)).toEqual(['2104-02-28T23:00']);
  });

  it('uses the zone of the machine if it names none', () => {
    const rule = { cron: '0 12 * * *', everyMs: null, timezone: null };
    const [slot] = nextSlots(rule, 'Asia/Shanghai', new Date('2026-01-01T00:00Z'), 1);
    expect(slot?.toISOString()).toBe('2026-01-01T04:00:00.000Z');
  });

  it('is checked, and the answer names the field and a next step', () => {
    const message = (cron: string, zone: string | null = null) => checkCron(cron, zone)?.message.en ?? null;
    expect(message('0 0 31 2 *')).toContain('never fires');
    expect(message('0 0 30 feb *')).toContain('never fires');
    expect(message('0 0 31 2 mon')).toBeNull();
    expect(message('60 * * * *')).toBe('"60" is not valid in the field for the minute');
    expect(message('* * * * 8')).toContain('weekday');
    for (const bad of [
      '5-1 * * * *',
      '*/0 * * * *',
      '1,,2 * * * *',
      '1e1 * * * *',
      '1-2-3 * * * *',
      '5/5 * * * *',
    ])
      expect(message(bad), bad).toContain('minute');
    for (const bad of ['', '   ', '* * * *', '* * * * * * *', '每天'])
      expect(message(bad), bad).toContain('five fields');
    expect(message('@reboot')).toContain('@reboot is not a time');
    expect(message('@every 5m')).toContain('not a known name');
    expect(message('@Daily')).toBeNull();
    expect(message(`${'1,'.repeat(1000)}1 * * * *`)).toContain('longer than 500');
    expect(message('* * * * *', 'Mars/Olympus')).toBe('"Mars/Olympus" is not a known time zone');
    expect(message('* * * * *', '')).toContain('not a known time zone');
  });

  it('has the same slots as a walk through the days, where daylight saving time plays no part', () => {
    const start = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    const days = fc.oneof(
      fc.record({ day: among(1, 31), weekday: fc.constant(every(0, 6)) }),
      fc.record({ day: fc.constant(every(1, 31)), weekday: among(0, 6) }),
      fc.record({ day: one(1, 31), weekday: one(0, 6) }),
    );
    const parts = fc.record({ minute: among(0, 59), hour: among(0, 23), month: among(1, 12) });
    fc.assert(
      fc.property(parts, days, start, ({ minute, hour, month }, { day, weekday }, after) => {
        const cron = [minute, hour, day, month, weekday].map(({ text }) => text).join(' ');
        fc.pre(checkCron(cron, 'UTC') === null);
        const expected = walk({ minute, hour, day, month, weekday }, after, 3);
        expect(nextSlots({ cron, everyMs: null, timezone: 'UTC' }, 'UTC', after, 3)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

/** A field of an expression, and the numbers that it stands for. */
interface Part {
  readonly text: string;
  readonly numbers: readonly number[];
}

const range = (low: number, high: number, step = 1) =>
  Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
const every = (low: number, high: number): Part => ({ text: '*', numbers: range(low, high) });
const one = (low: number, high: number) =>
  fc.integer({ min: low, max: high }).map((value): Part => ({ text: `${value}`, numbers: [value] }));
const among = (low: number, high: number) =>
  fc.oneof(
    fc.constant(every(low, high)),
    one(low, high),
    fc
      .integer({ min: 2, max: Math.min(high, 12) })
      .map((step): Part => ({ text: `*/${step}`, numbers: range(low, high, step) })),
    fc.tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high })).map((ends): Part => {
      const [from, to] = [Math.min(...ends), Math.max(...ends)];
      return { text: `${from}-${to}`, numbers: range(from, to) };
    }),
  );

/** Looks at each day in UTC, and at each minute of a day that fits. */
function walk(
  { minute, hour, day, month, weekday }: Record<'minute' | 'hour' | 'day' | 'month' | 'weekday', Part>,
  after: Date,
  count: number,
): Date[] {
  const found: Date[] = [];
  const isEither = day.text !== '*' && weekday.text !== '*';
  for (
    let at = new Date(after.toISOString().slice(0, 10));
    found.length < count;
    at.setUTCDate(at.getUTCDate() + 1)
  ) {
    const fits = [day.numbers.includes(at.getUTCDate()), weekday.numbers.includes(at.getUTCDay())];
    if (!month.numbers.includes(at.getUTCMonth() + 1)) continue;
    if (isEither ? !fits.includes(true) : fits.includes(false)) continue;
    for (const hours of hour.numbers)
      for (const minutes of minute.numbers)
        found.push(new Date(at.getTime() + (hours * 60 + minutes) * 60_000));
    while (found[0] !== undefined && found[0] <= after) found.shift();
  }
  return found.slice(0, count);
}

describe('an interval', () => {
  it('fires at its multiples since 1970, in any zone', () => {
    const rule = { cron: null, everyMs: 15 * 60_000, timezone: null };
    const found = nextSlots(rule, 'Asia/Kathmandu', new Date('2026-03-29T00:50:00.001Z'), 3);
    expect(found.map((slot) => slot.toISOString().slice(11, 16))).toEqual(['01:00', '01:15', '01:30']);
  });
});
