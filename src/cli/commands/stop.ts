import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Command } from 'commander';

import { isAlive } from '../../shared/is-alive.ts';
import { credentialsFor, findService, wrongToken } from '../find-service.ts';
import { tr } from '../language.ts';
import { type CommonOptions, plainJsonOption } from '../options.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatCount } from '../terminal/quantities.ts';
import { UserError } from '../user-error.ts';

const pollMs = 50;
const hintAfterMs = 5000;
const answerWithinMs = 10_000;

export function configure(command: Command): void {
  command
    .option(
      '--home <dir>',
      tr(
        'home of the service to stop (default: HOB_HOME, else the data folder of the platform)',
        '要停止的服务的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
      ),
    )
    .option(
      '--all',
      tr(
        'stop every script that it runs, too, and start none of those that wait',
        '同时停止所有正在运行的脚本，排队的也不再启动',
      ),
    )
    .option(...plainJsonOption)
    .action(async (options: CommonOptions & { all?: boolean }) => {
      const isJson = options.json === true;
      const say = (line: string) => {
        if (!isJson) process.stdout.write(`${line}\n`);
      };
      const { home, service } = await findService(options.home);
      if (service === null) {
        if (isJson) printJson({ stopped: false });
        say(tr(`Hob is not running (home: ${home}).`, `Hob 未运行（数据目录：${home}）。`));
        if (await hasExecutor(home)) say(goesOn);
        return;
      }
      const all = options.all === true;
      const { running, queued } = await countRuns(service.url);
      await ask(`${service.url}/api/stop`, { all }, { home, headers: credentialsFor(home, service) });
      say(describeStopping(all ? running : 0));
      await waitForEnd(service.pid, say);
      if (isJson) printJson({ stopped: true, running, queued });
      say(tr('Hob has stopped.', 'Hob 已停止。'));
      if (all) return;
      if (running > 0) say(runOn);
      if (queued > 0) say(waitOn);
    });
}

const goesOn = tr(
  'Scripts that it started still run. To stop them, start Hob again (hob serve), and then: hob stop --all',
  '它启动的脚本仍在运行。如需停止，请重新启动 Hob（hob serve），然后运行：hob stop --all',
);
const runOn = tr(
  'Scripts that were running go on; the next Hob on this home records how they end. (hob stop --all stops them, too.)',
  '正在运行的脚本会继续运行，结果由此数据目录的下一个 Hob 记录。（hob stop --all 会同时停止它们。）',
);
const waitOn = tr(
  'Scripts that wait are started by the next Hob on this home.',
  '排队中的脚本由此数据目录的下一个 Hob 启动。',
);
const stillWaiting = tr(
  'Still waiting for callers and scripts. Ctrl-C ends the waiting, not the stopping.',
  '仍在等待调用方和脚本。按 Ctrl-C 只结束等待，不影响停止。',
);

function describeStopping(scripts: number): string {
  if (scripts === 0) return tr('Hob is stopping ...', 'Hob 正在停止 ...');
  return tr(
    `Hob is stopping with ${formatCount(scripts, 'running script')} ...`,
    `Hob 正在停止，同时停止 ${scripts} 个正在运行的脚本 ...`,
  );
}

/** Whether the process that runs scripts is there without its service: its files begin with its process id. */
async function hasExecutor(home: string): Promise<boolean> {
  const names = await readdir(join(home, 'executor')).catch(() => []);
  return names.some((name) => name.endsWith('-address.json') && isAlive(Number.parseInt(name, 10)));
}

async function waitForEnd(pid: number, say: (line: string) => void): Promise<void> {
  const hint = setTimeout(() => say(stillWaiting), hintAfterMs);
  while (isAlive(pid)) await wait(pollMs);
  clearTimeout(hint);
}

async function countRuns(url: string): Promise<{ running: number; queued: number }> {
  try {
    const answer = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(answerWithinMs) });
    const health: unknown = await answer.json();
    return { running: numberIn(health, 'running'), queued: numberIn(health, 'queued') };
  } catch {
    // Not worth failing for: what matters is said by the next call.
    return { running: 0, queued: 0 };
  }
}

function numberIn(value: unknown, key: string): number {
  return Number(Reflect.get(Object(value), key)) || 0;
}

async function ask(
  url: string,
  body: { all: boolean },
  { home, headers }: { home: string; headers: Record<string, string> },
): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(
      tr(`Hob does not answer at ${url} (${reason}).`, `Hob 在 ${url} 没有响应（${reason}）。`),
    );
  });
  if (answer.status === 401) throw wrongToken(home);
  if (answer.ok) return;
  const said = await answer.text();
  throw new UserError(tr(`Hob refused to stop: ${said}`, `Hob 拒绝停止：${said}`));
}
