import type { Text } from '../../shared/text.ts';
import type { ScheduleTrigger } from '../trigger.ts';
import { type CronFields, type CronProblem, isProblem, parseCron } from './cron-fields.ts';
import { nextSlot } from './next-slot.ts';
import { offsetsOf } from './zone-offsets.ts';

/** The fields that determine the slots of a schedule. */
export type SlotRule = Pick<ScheduleTrigger, 'cron' | 'everyMs' | 'timezone'>;

/** Why a cron expression with its zone (null: the zone of the machine) cannot be used, with the next step; null if it can. */
export function checkCron(cron: string, timezone: string | null): CronProblem | null {
  const zoneProblem = timezone === null ? null : checkZone(timezone);
  if (zoneProblem !== null) return zoneProblem;
  const parsed = parseCron(cron);
  if (isProblem(parsed)) return parsed;
  // Daylight saving time moves a slot, but neither adds nor removes one, so any zone does.
  return nextSlot(parsed, offsetsOf('UTC'), 0) === null ? neverFires : null;
}

/** JavaScript knows these abbreviations, but gives them one meaning of several: CST is not the time of China there. */
const ambiguousZones = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(
    ' ',
  ),
);

/** Why this is not a time zone; null if it is one. */
export function checkZone(timezone: string): CronProblem | null {
  try {
    offsetsOf(timezone);
    if (!ambiguousZones.has(timezone.toUpperCase())) return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const name = timezone.length <= 60 ? timezone : `${timezone.slice(0, 59)}…`;
  return {
    message: { en: `${JSON.stringify(name)} is not a known time zone`, zh: `未知的时区：${name}` },
    advice: {
      en: 'Write a name such as Europe/Berlin or Asia/Shanghai, or leave it out for the zone of this machine.',
      zh: '请填写 Asia/Shanghai、Europe/Berlin 之类的名称；省略则使用本机时区。',
    },
  };
}

const parsedExpressions = new Map<string, CronFields>();

/**
 * The first slot after an instant; null if there is none. Both are milliseconds since 1970. Slots of an interval are its multiples
 * since 1970, so they neither drift nor depend on a restart.
 */
export function slotAfter(rule: SlotRule, machineZone: string, after: number): number | null {
  const { cron, everyMs, timezone } = rule;
  if (everyMs !== null) return (Math.floor(after / everyMs) + 1) * everyMs;
  if (cron === null) return null;
  return nextSlot(fieldsOf(cron), offsetsOf(timezone ?? machineZone), after);
}

/** The first slots after an instant. */
export function nextSlots(rule: SlotRule, machineZone: string, after: Date, count: number): Date[] {
  const slots: Date[] = [];
  let at: number | null = after.getTime();
  while (slots.length < count) {
    at = slotAfter(rule, machineZone, at);
    if (at === null) break;
    slots.push(new Date(at));
  }
  return slots;
}

/** The parsed form of an expression that was checked. */
export function fieldsOf(cron: string): CronFields {
  const known = parsedExpressions.get(cron);
  if (known !== undefined) return known;
  const parsed = parseCron(cron);
  if (isProblem(parsed)) throw new Error(`not checked: ${parsed.message.en}`);
  if (parsedExpressions.size >= 20_000) parsedExpressions.clear();
  parsedExpressions.set(cron, parsed);
  return parsed;
}

const neverFires: { message: Text; advice: Text } = {
  message: {
    en: 'this cron expression never fires: no month has such a day',
    zh: '该 cron 表达式永远不会触发：没有哪个月份有这样的日期',
  },
  advice: {
    en: 'Choose a day that exists, such as 28 for the end of February.',
    zh: '请选择存在的日期，例如二月底可用 28 日。',
  },
};
