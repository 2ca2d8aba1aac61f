import type { Hob } from './hob.ts';

/** The slots of a schedule, as the test knows them: multiples of an interval since 1970, or a list of times. */
export type Slots = { readonly everyMs: number } | { readonly times: readonly number[] };

export interface SlotRecord {
  readonly due_at: string;
  readonly recorded_at: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly run_id: string | null;
}

export interface TriggerRun {
  readonly run_id: string;
  readonly state: string;
}

/** Counts of contradictions: each slot should have one record, and each fired record one run. */
export interface Contradictions {
  readonly withoutRecord: number;
  readonly recordedTwice: number;
  readonly firedTwice: number;
  /** Records of a time that is no slot, or that lack a reason or a run. */
  readonly wrongRecords: number;
  readonly firedWithoutRun: number;
  readonly runsWithoutRecord: number;
  /** Runs whose script began more than once, or whose script ended well and never began. */
  readonly wrongWitnesses: number;
  /** Scripts that began in a run that is not on record. */
  readonly strayWitnesses: number;
}

/** All records of a trigger, the newest first. */
export function slotRecords(hob: Hob, triggerId: string): Promise<SlotRecord[]> {
  return allPages<SlotRecord>(hob, `/api/triggers/${triggerId}/slots?limit=500`);
}

export function runsOf(hob: Hob, triggerId: string): Promise<TriggerRun[]> {
  return allPages<TriggerRun>(hob, `/api/runs?trigger_id=${triggerId}&limit=500`);
}

async function allPages<Item>(hob: Hob, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await hob.get(path + cursor);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`);
    items.push(...(body.items as Item[]));
    if (body.next === null) return items;
    cursor = `&cursor=${encodeURIComponent(String(body.next))}`;
  }
}

/** The part of a schedule that a record is about, as positions in the order of its slots. */
interface Range {
  readonly first: number;
  readonly last: number;
  readonly isFired: boolean;
}

interface Evidence {
  readonly slots: Slots;
  /** Slots after `from` up to `to` must have a record. */
  readonly from: number;
  readonly to: number;
  readonly records: readonly SlotRecord[];
  readonly runs: readonly TriggerRun[];
  /** The ids of the runs, one for each time that the script began. */
  readonly witnesses: readonly string[];
}

/** Whether a schedule has dealt with its slots up to a time, as far as its newest records show. */
export function isCaughtUp(slots: Slots, records: readonly SlotRecord[], from: number, to: number): boolean {
  const last = Math.max(
    ...records.filter(isAboutSlots).map((record) => rangeOf(slots, record)?.last ?? -Infinity),
    place(slots, from),
  );
  return last >= place(slots, to);
}

/** The newest records of a trigger. */
export async function newestRecords(hob: Hob, triggerId: string): Promise<SlotRecord[]> {
  return (await hob.get(`/api/triggers/${triggerId}/slots?limit=20`)).body.items as SlotRecord[];
}

export function compareSlots(evidence: Evidence): Contradictions {
  const { slots, from, to, records, runs, witnesses } = evidence;
  const about = records.filter(isAboutSlots);
  const ranges = about.flatMap((record) => rangeOf(slots, record) ?? []);
  const begun = countEach(witnesses);
  const known = new Set(runs.map(({ run_id }) => run_id));
  const fired = new Set(about.flatMap(({ run_id }) => run_id ?? []));
  const isWrong = ({ run_id, state }: TriggerRun) => {
    const count = begun.get(run_id) ?? 0;
    return count > 1 || (count === 0 && state === 'succeeded');
  };
  return {
    ...coverage(ranges, place(slots, from), place(slots, to)),
    firedTwice: repeated(ranges.filter(({ isFired }) => isFired).map(({ first }) => first)),
    wrongRecords: about.length - ranges.length,
    firedWithoutRun: [...fired].filter((runId) => !known.has(runId)).length,
    runsWithoutRecord: runs.filter(({ run_id }) => !fired.has(run_id)).length,
    wrongWitnesses: runs.filter(isWrong).length,
    strayWitnesses: [...begun.keys()].filter((runId) => !known.has(runId)).length,
  };
}

/** A note that the clock was set back is about slots that have a record already. */
function isAboutSlots({ reason }: SlotRecord): boolean {
  return reason !== 'clock-back';
}

const summary = /^(\d+) slots from (\S+) to (\S+?)(?:;|$)/;

/** Null if the record cannot be true. */
function rangeOf(slots: Slots, { due_at, outcome, reason, detail, run_id }: SlotRecord): Range | null {
  const isFired = outcome === 'fired';
  if (isFired !== (run_id !== null) || isFired !== (reason === null)) return null;
  const [, count, start, end] = summary.exec(detail ?? '') ?? [];
  if (isFired || start === undefined || end === undefined) {
    const at = indexOf(slots, due_at);
    return at === null ? null : { first: at, last: at, isFired };
  }
  const [first, last] = [indexOf(slots, start), indexOf(slots, end)];
  if (first === null || last === null || last - first + 1 !== Number(count)) return null;
  return { first, last, isFired };
}

/** The position of a slot; null for a time that is no slot. */
function indexOf(slots: Slots, iso: string): number | null {
  const time = Date.parse(iso);
  const at = place(slots, time);
  const isSlot = 'everyMs' in slots ? at * slots.everyMs === time : slots.times[at] === time;
  return isSlot ? at : null;
}

/** The position of the last slot up to a time. */
function place(slots: Slots, time: number): number {
  if ('everyMs' in slots) return Math.floor(time / slots.everyMs);
  return slots.times.filter((each) => each <= time).length - 1;
}

/** Counts the slots after `from` up to `to` without a range, and those in more than one. */
function coverage(ranges: readonly Range[], from: number, to: number) {
  const sorted = [...ranges].sort((one, other) => one.first - other.first);
  let [covered, seen, withoutRecord, recordedTwice] = [from, -Infinity, 0, 0];
  for (const { first, last } of sorted) {
    withoutRecord += Math.max(0, Math.min(first - 1, to) - covered);
    recordedTwice += Math.max(0, Math.min(seen, last) - first + 1);
    covered = Math.max(covered, last);
    seen = Math.max(seen, last);
  }
  withoutRecord += Math.max(0, to - covered);
  return { withoutRecord, recordedTwice };
}

function countEach<Item>(items: readonly Item[]): Map<Item, number> {
  const counts = new Map<Item, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function repeated(items: readonly number[]): number {
  return items.length - new Set(items).size;
}
