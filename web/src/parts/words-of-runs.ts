import type { BriefRun, Origin } from '../api/wire.ts';
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
