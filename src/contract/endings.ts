import type { EndCause } from './values.ts';

/** How runs end, in words. Plain data: the command, the console and the executor's windows use the same texts. */
export interface Words {
  readonly en: string;
  readonly zh: string;
}

/** The facts about an end. A record has the first two; the executor also knows the others. */
export interface Ending {
  readonly cause: EndCause;
  readonly exitCode: number | null;
  readonly signal?: string | null;
  /** The time limit of the run. */
  readonly timeoutMs?: number | null;
  /** The errno of a failed start. */
  readonly spawnError?: string | null;
  /** Whether the run was stopped because its window was closed. */
  readonly isWindowClosed?: boolean;
}

/** The short names of the causes, for lists and labels. */
export const endNames: Readonly<Record<EndCause, Words>> = {
  exit: { en: 'Exited', zh: '自行退出' },
  signal: { en: 'Killed', zh: '被信号终止' },
  timeout: { en: 'Timed out', zh: '超时' },
  cancelled: { en: 'Cancelled', zh: '已取消' },
  'spawn-failed': { en: 'Failed to start', zh: '无法启动' },
  shutdown: { en: 'Stopped with Hob', zh: '随 Hob 停止' },
  lost: { en: 'Lost', zh: '失去联系' },
};

/** Describes an end in a sentence without a full stop. */
export function describeEnding(ending: Ending): Words {
  const { cause, exitCode, signal, timeoutMs, spawnError } = ending;
  switch (cause) {
    case 'exit':
      if (exitCode === 0) return { en: 'The script exited with code 0', zh: '脚本已结束' };
      return { en: `The script failed with exit code ${exitCode}`, zh: `脚本执行失败，退出码 ${exitCode}` };
    case 'signal':
      if (signal) return { en: `The script was terminated by ${signal}`, zh: `脚本被信号 ${signal} 终止` };
      return {
        en: `The script was terminated by a signal (exit code ${exitCode})`,
        zh: `脚本被信号终止（退出码 ${exitCode}）`,
      };
    case 'timeout':
      if (!timeoutMs)
        return { en: 'The script exceeded its time limit and was stopped', zh: '脚本运行超时，已被终止' };
      return {
        en: `The script ran longer than ${timeoutMs / 1000} s and was stopped`,
        zh: `脚本运行超过 ${timeoutMs / 1000} 秒，已被终止`,
      };
    case 'cancelled':
      if (!ending.isWindowClosed) return { en: 'The run was cancelled', zh: '运行已取消' };
      return { en: 'The run was stopped because its window was closed', zh: '窗口已关闭，运行已被终止' };
    case 'shutdown':
      return { en: 'The run was stopped because Hob stopped', zh: 'Hob 停止，运行已被终止' };
    case 'lost':
      return { en: 'Hob lost track of the run, so its outcome is unknown', zh: '运行状态丢失，结果未知' };
    case 'spawn-failed': {
      const errno = spawnError ? { en: ` (${spawnError})`, zh: `（${spawnError}）` } : { en: '', zh: '' };
      return { en: `The script could not be started${errno.en}`, zh: `脚本无法启动${errno.zh}` };
    }
  }
}
