import {
  type BriefRun,
  describeEnding,
  type EndCause,
  type Ended,
  endNames,
  type Origin,
  type RunState,
} from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

/** The displayed state of a run. A cancelled run has the state `failed`, but is shown as cancelled. */
export type ShownState = RunState | 'cancelled';

export function shownState({ state, end_cause }: Pick<BriefRun, 'state' | 'end_cause'>): ShownState {
  return end_cause === 'cancelled' ? 'cancelled' : state;
}

type Ending = Pick<BriefRun, 'end_cause' | 'exit_code' | 'result' | 'envelope'>;

/** The name of a state, as a badge or a legend shows it. */
export function stateName(state: ShownState, say: Say): string {
  const names: Readonly<Record<ShownState, string>> = {
    queued: say('Queued', '排队中'),
    running: say('Running', '运行中'),
    succeeded: say('Succeeded', '成功'),
    failed: say('Failed', '失败'),
    cancelled: say('Cancelled', '已取消'),
    unknown: say('Unknown', '未知'),
  };
  return names[state];
}

export function endedName(ended: Ended, say: Say): string {
  return ended === 'stopped' ? say('Stopped', '被停止') : stateName(ended, say);
}

/** The short name of an origin. */
export function originName(origin: Origin, say: Say): string {
  const names: Readonly<Record<Origin, string>> = {
    console: say('Console', '控制台'),
    execute: say('API', 'API 调用'),
    link: say('Script', '脚本调用'),
    cli: say('Command line', '命令行'),
    schedule: say('Schedule', '定时'),
    folder: say('Folder', '文件夹'),
    webhook: say('Webhook', 'Webhook'),
    menu: say('Menu', '右键菜单'),
    shortcut: say('Shortcut', '快捷键'),
    mcp: say('Agent', '智能体'),
    hob: say('Hob', 'Hob 自身'),
  };
  return names[origin];
}

/** A phrase about the origin of a run. */
export function originWords({ origin, client }: Pick<BriefRun, 'origin' | 'client'>, say: Say): string {
  switch (origin) {
    case 'execute':
      return say('started through the API', '由程序调用');
    case 'link':
      return say('started by another script', '由其他脚本调用');
    case 'console':
      return say('started from the console', '来自控制台');
    case 'cli':
      return say('started from the command line', '来自命令行');
    case 'schedule':
      return say('started by a schedule', '按计划');
    case 'folder':
      return say('started by a folder', '由文件夹触发');
    case 'webhook':
      return say('started by a webhook', '由 Webhook 触发');
    case 'menu':
      return say('started from a menu', '来自右键菜单');
    case 'shortcut':
      return say('started by a shortcut', '来自快捷键');
    case 'mcp':
      return client === null
        ? say('started by an agent', '由智能体发起')
        : say(`agent: ${client}`, `智能体：${client}`);
    case 'hob':
      return say('started by Hob', '由 Hob 发起');
  }
}

/** The name of an end cause other than a normal exit; null for a normal exit or an active run. */
export function unusualEnd(cause: BriefRun['end_cause'], say: Say): string | null {
  return cause === null || cause === 'exit' ? null : endName(cause, say);
}

/** A sentence about how a run ended. */
export function endWords({ end_cause, exit_code, result, envelope }: Ending, say: Say): string {
  if (end_cause === null) return say('Not ended yet', '尚未结束');
  if (end_cause !== 'exit' || exit_code !== 0) {
    const { en, zh } = describeEnding({ cause: end_cause, exitCode: exit_code });
    return say(en, zh);
  }
  if (envelope === 'synthesized')
    return say(
      'The script exited successfully but wrote no valid result',
      '脚本正常结束，但没有留下有效的结果',
    );
  return result !== null && result.code !== 0
    ? say(`The script reported code ${result.code}`, `脚本报告代码 ${result.code}`)
    : say('Done', '完成');
}

/** The short name of an end cause. */
export function endName(cause: EndCause, say: Say): string {
  const { en, zh } = endNames[cause];
  return say(en, zh);
}

/**
 * A one-line message about how a run ended, or an empty text. A message that Hob wrote is in the language of the caller, so it is replaced
 * by one in the language of the reader.
 */
export function runMessage(run: Ending, say: Say): string {
  const { result, end_cause, exit_code } = run;
  const own = isSaidByCause(run) ? '' : firstLine(result?.msg ?? '');
  if (own !== '') return own;
  if (end_cause === 'exit' && exit_code !== 0 && exit_code !== null)
    return say(`Exit code ${exit_code}`, `退出码 ${exit_code}`);
  return unusualEnd(end_cause, say) ?? '';
}

/** The message of the script, or the end of its output, which Hob puts below its own line. */
export function scriptWords(run: Ending): string {
  const message = run.result?.msg ?? '';
  return isSaidByCause(run) ? message.split('\n').slice(1).join('\n') : message;
}

/** Whether Hob wrote the message and it only repeats the end cause. For `spawn-failed` the message has the only reason. */
function isSaidByCause({ envelope, end_cause }: Ending): boolean {
  return envelope === 'synthesized' && end_cause !== 'spawn-failed';
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}
