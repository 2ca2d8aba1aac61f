import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import { isoOf, type OffReason, type Position } from './position.ts';

/** After so many failures in a row, the user gets a notification. */
const failuresInRow = 3;

interface Alarm {
  /** Facts that the schedule must remember. */
  readonly changes: Pick<Position, 'failures' | 'isAlarmed'>;
  /** The text that the user sees now: once for each series of failures. */
  readonly notice: Text | null;
}

/** A run of the schedule has ended. */
export function afterEnd(id: string, { failures, isAlarmed }: Position, isSuccess: boolean): Alarm {
  if (isSuccess) return { changes: { failures: 0, isAlarmed: false }, notice: null };
  const isDue = !isAlarmed && failures + 1 >= failuresInRow;
  return {
    changes: { failures: failures + 1, isAlarmed: isAlarmed || isDue },
    notice: isDue ? failing(id) : null,
  };
}

/** The run of a slot could not be started. */
export function afterRefusal(
  id: string,
  { failures, isAlarmed }: Position,
  { slot, error }: { slot: number; error: unknown },
): Alarm {
  return {
    changes: { failures, isAlarmed: true },
    notice: isAlarmed ? null : refused(id, slot, error),
  };
}

/** A slot has passed while the schedule was on but could not start runs. */
export function unableNotice(id: string, slot: number, reason: Exclude<OffReason, 'paused'>): Text {
  const [en, zh] =
    reason === 'script-missing'
      ? ['Its script does not exist', '脚本不存在']
      : ['Its entry in triggers.toml or its script has a mistake', 'triggers.toml 中的条目或脚本有错误'];
  return {
    en: `The schedule "${id}" could not start its run of ${isoOf(slot)}. ${en}. To see it: hob triggers show ${id}`,
    zh: `计划“${id}”无法启动 ${isoOf(slot)} 的运行：${zh}。可用 hob triggers show ${id} 查看。`,
  };
}

/** The clock was set back so far that schedules go on from now. */
export function clockNotice(from: number, to: number): Text {
  return {
    en: `The clock was set back from ${isoOf(from)} to ${isoOf(to)}. All schedules go on from the new time.`,
    zh: `系统时间从 ${isoOf(from)} 调回到 ${isoOf(to)}，所有计划将从新的时间继续。`,
  };
}

function failing(id: string): Text {
  return {
    en: `The schedule "${id}" has failed ${failuresInRow} times in a row. To see its runs: hob triggers show ${id}`,
    zh: `计划“${id}”已连续失败 ${failuresInRow} 次。可用 hob triggers show ${id} 查看。`,
  };
}

function refused(id: string, slot: number, error: unknown): Text {
  const { en, zh } = error instanceof AppError ? error.text : { en: '', zh: '' };
  return {
    en: `The schedule "${id}" could not start its run of ${isoOf(slot)}. ${en}`.trim(),
    zh: `计划“${id}”无法启动 ${isoOf(slot)} 的运行。${zh}`,
  };
}
