/** A period in which a zone has one offset from UTC. Times in milliseconds since 1970. */
export interface ZonePeriod {
  readonly start: number;
  /** The first instant after it; infinite if no change is known. */
  readonly end: number;
  readonly offsetMs: number;
  /** The offset before `start`. */
  readonly offsetBeforeMs: number;
}

const dayMs = 86_400_000;
/** No zone changes its offset twice within this time. The shortest known interval is the Ramadan of Morocco, about 30 days. */
const probeMs = 7 * dayMs;
/** A year in which no zone is known to change later than its rules say. */
const farthestMs = 400 * dayMs;

/** The offsets of a time zone, remembered by period: asking Intl for each slot would take most of the time of 10,000 schedules. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  #periods: ZonePeriod[] = [];

  /** Throws a RangeError for an unknown zone. */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The period that contains an instant. It may be cut a year before or after it. */
  at(instant: number): ZonePeriod {
    const known = this.#periods.find(({ start, end }) => start <= instant && instant < end);
    if (known !== undefined) return known;
    const period = this.#find(instant);
    // Few are in use at a time. A clock that jumps must not fill the memory.
    if (this.#periods.length >= 16) this.#periods = [];
    this.#periods.push(period);
    return period;
  }

  #find(instant: number): ZonePeriod {
    const offsetMs = this.#offset(instant);
    let end = instant + farthestMs;
    for (let at = instant; at < instant + farthestMs; at += probeMs) {
      if (this.#offset(at + probeMs) === offsetMs) continue;
      end = this.#change(at, at + probeMs);
      break;
    }
    let start = instant - farthestMs;
    for (let at = instant; at > instant - farthestMs; at -= probeMs) {
      if (this.#offset(at - probeMs) === offsetMs) continue;
      start = this.#change(at - probeMs, at);
      break;
    }
    return { start, end, offsetMs, offsetBeforeMs: this.#offset(start - 1) };
  }

  /** The first instant with another offset than `from`. The offset changes once between `from` and `to`. */
  #change(from: number, to: number): number {
    const offsetMs = this.#offset(from);
    let [low, high] = [from, to];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offset(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #offset(instant: number): number {
    const values = new Map(this.#format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const number = (name: Intl.DateTimeFormatPartTypes) => Number(values.get(name));
    const local = Date.UTC(
      values.get('era') === 'BC' ? 1 - number('year') : number('year'),
      number('month') - 1,
      number('day'),
      number('hour'),
      number('minute'),
      number('second'),
    );
    // Instants before 1970 have a negative remainder.
    return local - Math.floor(instant / 1000) * 1000;
  }
}

const zones = new Map<string, ZoneOffsets>();

/** Throws a RangeError for an unknown zone. */
export function offsetsOf(zone: string): ZoneOffsets {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  const offsets = new ZoneOffsets(zone);
  // There are about 600 names, but many spellings of each.
  if (zones.size >= 1000) zones.clear();
  zones.set(zone, offsets);
  return offsets;
}
