import type { Run } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

/** How a run ended, as one would say it. */
export function endWords({ end_cause, exit_code, result, envelope }: Run, say: Say): string {
  switch (end_cause) {
    case null:
      return say('It has not ended yet', '尚未结束');
    case 'exit':
      if (exit_code !== 0)
        return say(`The script ended with exit code ${exit_code}`, `脚本以退出码 ${exit_code} 结束`);
      if (envelope === 'synthesized')
        return say('The script ended well, but left no valid result', '脚本正常结束，但没有留下有效的结果');
      return result !== null && result.code !== 0
        ? say(`The script reports code ${result.code}`, `脚本报告代码 ${result.code}`)
        : say('Done', '完成');
    case 'signal':
      return say(
        `The script was ended by a signal (exit code ${exit_code})`,
        `脚本被信号终止（退出码 ${exit_code}）`,
      );
    case 'timeout':
      return say('It took longer than its manifest allows, and was stopped', '超过清单允许的时间，已被停止');
    case 'cancelled':
      return say('It was cancelled', '已取消');
    case 'spawn-failed':
      return say('The script could not be started', '脚本无法启动');
    case 'shutdown':
      return say('It was stopped together with Hob', '随 Hob 一起被停止');
    case 'lost':
      return say(
        'How it ended could not be found out: Hob or the machine was stopped',
        '无法得知结果：Hob 或机器曾被停止',
      );
  }
}

/** Who wanted it. */
export function originWords(origin: Run['origin'], say: Say): string {
  switch (origin) {
    case 'execute':
      return say('by a program', '由程序调用');
    case 'link':
      return say('by another script', '由其他脚本调用');
    case 'console':
      return say('from the console', '来自控制台');
    case 'cli':
      return say('from the command line', '来自命令行');
    case 'schedule':
      return say('by its schedule', '按计划');
    case 'hob':
      return say('by Hob itself', '由 Hob 发起');
  }
}
