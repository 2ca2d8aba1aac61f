import type { BriefRun, EndCause, Origin } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

/** Who asked for a run, in a word. */
export function originName(origin: Origin, say: Say): string {
  const names: Readonly<Record<Origin, string>> = {
    console: say('console', '控制台'),
    execute: say('API', 'API 调用'),
    link: say('script', '脚本调用'),
    cli: say('command line', '命令行'),
    schedule: say('schedule', '定时'),
    hob: say('Hob itself', 'Hob 自身'),
  };
  return names[origin];
}

/** Why a run did not end by itself; null where it did, or has not ended. */
export function unusualEnd(cause: BriefRun['end_cause'], say: Say): string | null {
  switch (cause) {
    case null:
    case 'exit':
      return null;
    case 'signal':
      return say('killed', '被信号终止');
    case 'timeout':
      return say('timed out', '超时');
    case 'cancelled':
      return say('cancelled', '已取消');
    case 'spawn-failed':
      return say('not started', '无法启动');
    case 'shutdown':
      return say('stopped with Hob', '随 Hob 停止');
    case 'lost':
      return say('lost', '失去联系');
  }
}

/** By what a run ended, in a word. */
export function endName(cause: EndCause, say: Say): string {
  return unusualEnd(cause, say) ?? say('exited', '自行退出');
}

/**
 * What there is to say of how a run went, in a line; empty where that is nothing. What Hob wrote in the script's place is in the language of
 * whoever asked for the run, so it is said here anew.
 */
export function runMessage(
  {
    result,
    envelope,
    end_cause,
    exit_code,
  }: Pick<BriefRun, 'result' | 'envelope' | 'end_cause' | 'exit_code'>,
  say: Say,
): string {
  const own = envelope === 'synthesized' ? '' : firstLine(result?.msg ?? '');
  if (own !== '') return own;
  if (end_cause === 'exit' && exit_code !== 0 && exit_code !== null)
    return say(`exit code ${exit_code}`, `退出码 ${exit_code}`);
  return unusualEnd(end_cause, say) ?? '';
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}
