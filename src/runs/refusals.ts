import { AppError } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';

export function unknownRun(runId: string): never {
  throw new AppError('run-unknown', { en: `No such run: ${runId}`, zh: `运行不存在: ${runId}` });
}

export function callerStopping(): AppError {
  return new AppError('caller-stopping', {
    en: 'The calling run is being stopped, so it cannot start other scripts.',
    zh: '调用方的运行正在被停止，不再为其启动脚本。',
  });
}

export function outOfReach(): AppError {
  return new AppError(
    'executor-unavailable',
    {
      en: 'This run was started by another version of Hob, so this version cannot stop it. The run ends by itself.',
      zh: '该运行由另一版本的 Hob 启动，无法停止，将自行结束。',
    },
    { retryAfterS: 60 },
  );
}

export function executorSilent(pid: number): AppError {
  return new AppError(
    'executor-unavailable',
    {
      en: `The executor (pid ${pid}) does not respond, so the script was not started. Run \`hob doctor\` to find out what to do.`,
      zh: `脚本执行进程（pid ${pid}）没有响应，脚本未启动。处理办法见 hob doctor。`,
    },
    { retryAfterS: 5 },
  );
}

export function endedAlready(runId: string): AppError {
  return new AppError(
    'run-ended',
    { en: `The run ${runId} has already ended.`, zh: `运行已结束: ${runId}` },
    { hint: { en: `GET /api/runs/${runId} shows its outcome.`, zh: `结果见 GET /api/runs/${runId}` } },
  );
}

export function stopping(): AppError {
  return new AppError(
    'service-stopping',
    { en: 'Hob is stopping and accepts no new runs.', zh: 'Hob 正在停止，不再接受新的运行。' },
    { retryAfterS: 5 },
  );
}

export const scriptRemoved: Text = {
  en: 'There is no further attempt, because the script was removed.',
  zh: '脚本已被移除，不再重试。',
};

export const secretsGone: Text = {
  en: 'There is no further attempt, because the file with the secret params was removed or changed.',
  zh: '保存密钥类参数的文件已被删除或改动，不再重试。',
};

export function waitedTooLong(waitMs: number): AppError {
  const seconds = waitMs / 1000;
  return new AppError(
    'queue-wait-exceeded',
    {
      en: `No slot became free within ${seconds} s (setting queue_wait_s), so the script was not started. Try again later.`,
      zh: `等待 ${seconds} 秒后仍没有空闲的运行名额，脚本未启动。`,
    },
    { retryAfterS: 10 },
  );
}

export function waitCircle(): AppError {
  return new AppError(
    'wait-circle',
    {
      en: 'Deadlock: this call would wait for a run that already waits for the caller, directly or through a lock or a concurrency limit. The call was refused.',
      zh: '该调用会造成循环等待（自身、锁或并发限制），已被拒绝。',
    },
    { retryAfterS: 5 },
  );
}

export function withoutTerminal(runId: string): AppError {
  return new AppError(
    'run-without-terminal',
    { en: `The run ${runId} has no terminal.`, zh: `运行没有可在页面中显示的终端: ${runId}` },
    {
      hint: {
        en: 'Only runs started from the console have a terminal here, after they have started, and only if `terminal` in the manifest allows it.',
        zh: '从控制台启动的运行，开始后按清单中的 terminal 设置提供终端。',
      },
    },
  );
}

export function terminalOutOfReach(): AppError {
  return new AppError(
    'executor-unavailable',
    {
      en: 'The terminal of this run cannot be reached at the moment. Try again.',
      zh: '暂时无法连接此运行的终端。',
    },
    { retryAfterS: 1 },
  );
}
