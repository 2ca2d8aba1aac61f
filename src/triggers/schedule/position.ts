import { createHash } from 'node:crypto';

import { isJsonObject, type Json, tryParseJson } from '../../shared/json.ts';
import type { ScheduleTrigger } from '../trigger.ts';
import type { SlotRule } from './cron.ts';

/** `paused`: its user decided so. With the others it is on, but cannot start runs. */
export type OffReason = 'paused' | 'script-missing' | 'cannot-start';

/** A time during which a schedule was off. */
export interface OffTime {
  readonly reason: OffReason;
  /** Slots after this time are not made up for. */
  readonly since: number;
  /** When it was on again; null if it is still off. */
  readonly until: number | null;
}

/** The facts that a schedule must remember. Times are milliseconds since 1970. */
export interface Position {
  /** The fields that determine its slots. With other ones, a schedule begins again. */
  readonly rule: string;
  /** The zone of the machine with which slots were calculated last. */
  readonly zone: string;
  /** When it began. */
  readonly since: number;
  /** All slots up to this time are dealt with. */
  readonly at: number;
  /** Up to where slots were dealt with before the clock was set back; null if it was not set back far. */
  readonly high: number | null;
  /** The slot whose run is being started. */
  readonly starting: number | null;
  /** The slot that came on time, but waits for another run or for another attempt to start. */
  readonly waiting: number | null;
  readonly off: OffTime | null;
  /** Runs that failed since the last success. */
  readonly failures: number;
  /** Whether its user knows that it fails. */
  readonly isAlarmed: boolean;
}

export function newPosition(rule: SlotRule, zone: string, now: number): Position {
  return {
    rule: ruleText(rule),
    zone,
    since: now,
    at: now,
    high: null,
    starting: null,
    waiting: null,
    off: null,
    failures: 0,
    isAlarmed: false,
  };
}

export function ruleText({ cron, everyMs, timezone }: SlotRule): string {
  return JSON.stringify([cron, everyMs, timezone]);
}

/** The rule of a stored position. */
export function ruleOf({ rule }: Position): SlotRule | null {
  const stored = tryParseJson(rule);
  if (!Array.isArray(stored)) return null;
  const [cron, everyMs, timezone] = stored;
  return {
    cron: typeof cron === 'string' ? cron : null,
    everyMs: typeof everyMs === 'number' ? everyMs : null,
    timezone: typeof timezone === 'string' ? timezone : null,
  };
}

/** Null for any other text, such as what a trigger of another kind with this id has stored. */
export function parsePosition(text: string): Position | null {
  const stored = tryParseJson(text);
  if (!isJsonObject(stored)) return null;
  const { rule, zone, since, at, off } = stored;
  if (typeof rule !== 'string' || typeof zone !== 'string') return null;
  if (!isTime(since) || !isTime(at)) return null;
  const time = (value: Json | undefined) => (isTime(value) ? value : null);
  return {
    rule,
    zone,
    since,
    at,
    high: time(stored.high),
    starting: time(stored.starting),
    waiting: time(stored.waiting),
    off: readOff(off),
    failures: typeof stored.failures === 'number' ? stored.failures : 0,
    isAlarmed: stored.isAlarmed === true,
  };
}

function readOff(stored: Json | undefined): OffTime | null {
  if (!isJsonObject(stored) || !isTime(stored.since)) return null;
  const { reason } = stored;
  const isUnable = reason === 'script-missing' || reason === 'cannot-start';
  return {
    reason: isUnable ? reason : 'paused',
    since: stored.since,
    until: isTime(stored.until) ? stored.until : null,
  };
}

/** Dates end at this number. */
const farthestTime = 8.64e15;

function isTime(value: Json | undefined): value is number {
  return typeof value === 'number' && Math.abs(value) <= farthestTime;
}

/** The fixed delay of a schedule: the same after each restart, and another one for each id. */
export function jitterOf({ id, jitterMs }: Pick<ScheduleTrigger, 'id' | 'jitterMs'>): number {
  if (jitterMs === 0) return 0;
  const hash = createHash('sha256').update(id).digest().readUInt32BE(0);
  return Math.floor((hash / 2 ** 32) * jitterMs);
}

export function isoOf(time: number): string {
  return new Date(time).toISOString();
}

/** The idempotency key of a slot, and of its record. */
export function slotKey(triggerId: string, slot: number): string {
  return `schedule:${triggerId}:${isoOf(slot)}`;
}
