import type { WindowEnd } from '../../execution/window-messages.ts';
import { assertNever } from '../../shared/assert-never.ts';
import { describeDuration } from '../../shared/describe-duration.ts';
import type { Text } from '../../shared/text.ts';

/** Describes the end of a run in a window that waits for a key. Chinese has no space between sentences. */
export function describeHeldEnd(end: WindowEnd): Text {
  const { en, zh } = describeWindowEnd(end);
  return { en: `${en} Press any key to close this window.`, zh: `${zh}按任意键关闭窗口。` };
}

function describeWindowEnd(end: WindowEnd): Text {
  const duration = describeDuration(end.durationMs);
  switch (end.cause) {
    case 'exit':
      if (end.exitCode === 0) return { en: `Done in ${duration.en}.`, zh: `已完成，用时 ${duration.zh}。` };
      return {
        en: `Failed with exit code ${end.exitCode} after ${duration.en}.`,
        zh: `失败，退出码 ${end.exitCode}，用时 ${duration.zh}。`,
      };
    case 'signal':
      return {
        en: `Terminated by ${end.signal} after ${duration.en}.`,
        zh: `被信号 ${end.signal} 终止，用时 ${duration.zh}。`,
      };
    case 'timeout':
      return {
        en: `Stopped after ${duration.en}: the time limit was reached.`,
        zh: `运行 ${duration.zh}后超时，已被终止。`,
      };
    case 'cancelled':
      return { en: `Cancelled after ${duration.en}.`, zh: `运行 ${duration.zh}后被取消。` };
    case 'shutdown':
      return {
        en: `Stopped after ${duration.en} because Hob was stopped.`,
        zh: `Hob 停止，运行 ${duration.zh}后被终止。`,
      };
    case 'spawn-failed':
      return { en: 'The script could not be started.', zh: '脚本无法启动。' };
    case 'lost':
      return { en: 'Hob lost track of this run.', zh: 'Hob 已失去对此次运行的跟踪。' };
    default:
      return assertNever(end.cause);
  }
}
