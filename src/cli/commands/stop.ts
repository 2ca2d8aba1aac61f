import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Command } from 'commander';

import type { Health } from '../../contract/types.ts';
import { isAlive } from '../../shared/process-stat.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { type CommonOptions, plainJsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { formatCount } from '../terminal/text.ts';

const pollMs = 50;
const hintAfterMs = 5000;
const answerWithinMs = 10_000;
const executorsEndWithinMs = 3000;

export function configure(command: Command): void {
  withSignature(command, {
    '--home <dir>': [
      "home folder of the service (default: HOB_HOME, or the platform's data folder)",
      '要停止的服务的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
    ],
    '--all': [
      'also stop running scripts and cancel queued runs',
      '同时停止所有正在运行的脚本，排队的也不再启动',
    ],
    ...plainJsonOption,
  }).action(async (options: CommonOptions & { all?: boolean }) => {
    const isJson = options.json === true;
    const say = (line: string) => {
      if (!isJson) process.stdout.write(`${line}\n`);
    };
    const { home, service } = await findService(options.home);
    if (service === null) {
      if (isJson) printJson({ stopped: false });
      say(tr(`Hob is not running (home: ${home}).`, `Hob 未运行（数据目录：${home}）。`));
      if ((await findExecutors(home)).length > 0) say(scriptsStillRunning);
      return;
    }
    const client = await ServiceClient.find(home);
    const all = options.all === true;
    const { running, queued, silentPids } = await askHealth(client);
    await client.post('/api/stop', { all }, { limitMs: answerWithinMs });
    say(
      all && running > 0
        ? tr(
            `Stopping Hob and ${formatCount(running, 'running script')} ...`,
            `Hob 正在停止，同时停止 ${running} 个正在运行的脚本 ...`,
          )
        : tr('Stopping Hob ...', 'Hob 正在停止 ...'),
    );
    const hint = setTimeout(() => say(stillWaiting), hintAfterMs);
    while (isAlive(service.pid)) await wait(pollMs);
    clearTimeout(hint);
    // An executor exits after its last run. An executor that does not respond stays until it is resumed.
    const left = all ? await awaitExecutors(home) : silentPids;
    if (isJson) printJson({ stopped: true, running, queued, executors_left: left });
    say(tr('Hob has stopped.', 'Hob 已停止。'));
    for (const pid of left) say(describeLeft(pid));
    if (all) return;
    if (running > 0) say(scriptsContinue);
    if (queued > 0) say(queuedScriptsWait);
  });
}

const scriptsStillRunning = tr(
  'Scripts that Hob started are still running. To stop them, start Hob again (hob start), then run: hob stop --all',
  '它启动的脚本仍在运行。如需停止，请重新启动 Hob（hob start），然后运行：hob stop --all',
);
const scriptsContinue = tr(
  'Running scripts continue. Hob records their results when it starts again with this home. (To stop them as well, use hob stop --all.)',
  '正在运行的脚本会继续运行，结果由此数据目录的下一个 Hob 记录。（hob stop --all 会同时停止它们。）',
);
const queuedScriptsWait = tr(
  'Queued scripts start when Hob starts again with this home.',
  '排队中的脚本由此数据目录的下一个 Hob 启动。',
);
const stillWaiting = tr(
  'Still waiting for open requests and scripts to finish. Ctrl-C ends this command; Hob continues to shut down.',
  '仍在等待调用方和脚本。按 Ctrl-C 只结束等待，不影响停止。',
);

function describeLeft(pid: number): string {
  return tr(
    `The executor (process ${pid}) is still running, so its scripts may still be running too. If the process is suspended, resume it: kill -CONT ${pid}. Hob records the results of these runs when it starts again with this home; then hob stop --all stops the remaining ones.`,
    `执行进程（进程 ${pid}）仍在，它启动的脚本可能仍在运行。如果它被暂停，请让它继续：kill -CONT ${pid}。结果由此数据目录的下一个 Hob 记录；届时可用 hob stop --all 停止仍在运行的脚本。`,
  );
}

/** Process ids of the live executors of a home. The names of their files begin with the process id. */
async function findExecutors(home: string): Promise<number[]> {
  const names = await readdir(join(home, 'executor')).catch(() => []);
  const addresses = names.filter((name) => name.endsWith('-address.json'));
  return addresses.map((name) => Number.parseInt(name, 10)).filter((pid) => isAlive(pid));
}

/** Waits briefly for the executors to exit. Resolves with those that are still alive. */
async function awaitExecutors(home: string): Promise<number[]> {
  const deadlineMs = performance.now() + executorsEndWithinMs;
  for (;;) {
    const pids = await findExecutors(home);
    if (pids.length === 0 || performance.now() > deadlineMs) return pids;
    await wait(pollMs);
  }
}

/** The numbers of runs, and the executors that do not respond. */
async function askHealth(
  client: ServiceClient,
): Promise<{ running: number; queued: number; silentPids: number[] }> {
  try {
    const limits = { limitMs: answerWithinMs };
    const { running, queued, executor } = await client.get<Health>('/api/health', limits);
    return { running, queued, silentPids: executor.silent_pids };
  } catch {
    // These counts are optional. If the service does not respond, the next call fails with the reason.
    return { running: 0, queued: 0, silentPids: [] };
  }
}
