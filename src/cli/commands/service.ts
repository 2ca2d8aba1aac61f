import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { errnoOf } from '../../shared/errors.ts';
import { runCommand } from '../../shared/run-command.ts';
import { quoteWord } from '../command-lines.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { type CommonOptions, helpText, homeOption, plainJsonOption, withSignature } from '../options.ts';
import { poll } from '../poll.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { UserError, userError } from '../user-error.ts';
import { findPlatform, type Platform, type ToolCall } from './service/platforms.ts';

const changeOptions = {
  ...homeOption,
  '--dry-run': ['show what would be done, but change nothing', '只说明会做什么'],
  ...plainJsonOption,
} as const;

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', explanation);

  withSignature(command.command('install'), changeOptions)
    .description(tr('start Hob now and at every login', '现在启动 Hob，以后登录时自动启动'))
    .action(installService);

  withSignature(command.command('uninstall'), changeOptions)
    .description(tr('stop Hob and no longer start it at login', '停止它，并且不再自动启动'))
    .action(uninstallService);

  withSignature(command.command('status'), {
    ...homeOption,
    '--json': ['print JSON', '以 JSON 输出，供程序使用'],
  })
    .description(
      tr(
        'show whether automatic start is installed and whether Hob is running',
        '是否已安装，Hob 是否在运行',
      ),
    )
    .action(showStatus);
}

const explanation = helpText(
  ['hob service install', 'hob service install --dry-run', 'hob service status --json'],
  `Uses a systemd user unit on Linux, a launchd agent on macOS and a scheduled task on Windows. None of them needs administrator
rights. Running scripts continue while the service is stopped or restarted.
Exit codes: 0 success, 1 failure (see stderr), 2 usage error.`,
  `在 Linux 上是 systemd 用户单元，在 macOS 上是 launchd 代理，在 Windows 上是计划任务，都不需要管理员权限。服务停止或重启时，正在运行的脚本会继续运行。
退出码：0 已完成，1 未能完成（原因见 stderr），2 命令写法有误。`,
);

export interface ServiceOptions extends CommonOptions {
  dryRun?: boolean;
}

const pollTimes = { everyMs: 100, withinMs: 20_000 };

async function installService({ home: flag, dryRun, json }: ServiceOptions): Promise<void> {
  const { home, service } = await findService(flag);
  const platform = findPlatform(home);
  if (dryRun === true) {
    if (json === true) printJson({ installed: false, file: platform.file, text: platform.text });
    else process.stdout.write(describeInstallation(platform));
    return;
  }
  const fault = await platform.fault?.();
  if (fault) throw new UserError(`${fault}\n${tr('Nothing was installed.', '没有安装任何东西。')}`);
  const wasActive = (await runCommand(platform.isActive.tool, platform.isActive.args)).ok;
  if (service !== null && !wasActive)
    throw userError(
      `Hob is already running (process ${service.pid}), but was not started by the login service. Stop it first, then try again: hob stop`,
      `Hob 已在运行（进程 ${service.pid}），不是由登录服务启动的。请先停止它再重试：hob stop`,
    );
  await writeInOneStep(platform);
  await callTools(platform.onInstall);
  const started = await poll(async () => (await findService(flag)).service, pollTimes);
  if (json === true) return printJson({ installed: true, file: platform.file, url: started?.url ?? null });
  const advice = await platform.advice?.();
  const lines = [
    tr(`Installed: ${platform.file}`, `已安装：${platform.file}`),
    started === null
      ? tr(
          `Hob was started but does not respond yet. To find the cause: ${platform.diagnosisCommand}`,
          `已经启动，但还没有响应。查看原因：${platform.diagnosisCommand}`,
        )
      : tr(
          `Hob ${started.version} is running at ${started.url} and starts at every login.`,
          `Hob ${started.version} 正在 ${started.url} 运行，登录时会自动启动。`,
        ),
    ...(advice ? [advice] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describeInstallation({ file, text, onInstall }: Platform): string {
  const lines = text.replace('\ufeff', '').trimEnd().split('\n');
  return [
    tr(`Would write ${file}:`, `将写入 ${file}：`),
    ...lines.map((line) => `  ${line}`.trimEnd()),
    tr('Would run:', '将运行：'),
    ...onInstall.map((call) => `  ${commandLine(call)}`),
    '',
  ].join('\n');
}

/** Writes the file atomically: a reader sees either the old or the new text. */
async function writeInOneStep({ file, text, encoding }: Platform): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, text, { encoding, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw userError(
      `Cannot write ${file} (${errno}). Check the permissions of the folder.`,
      `无法写入 ${file}（${errno}）。请检查文件夹权限。`,
    );
  }
}

async function showStatus({ home: flag, json }: CommonOptions): Promise<void> {
  const { home, service } = await findService(flag);
  const platform = findPlatform(home);
  const installed = await readFile(platform.file, platform.encoding).catch(() => null);
  const isActive =
    installed !== null && (await runCommand(platform.isActive.tool, platform.isActive.args)).ok;
  if (json === true) {
    printJson({
      installed: installed !== null,
      kind: platform.kind,
      file: platform.file,
      active: isActive,
      home,
      running: service !== null,
      pid: service?.pid ?? null,
      version: service?.version ?? null,
      url: service?.url ?? null,
    });
    return;
  }
  const advice = installed === null ? null : await platform.advice?.();
  const lines = [
    ...describeInstalled(platform, { installed, isActive, home }),
    service === null
      ? tr(`Hob is not running (home: ${home}).`, `Hob 没有运行（数据目录：${home}）。`)
      : tr(
          `Hob ${service.version} is running at ${service.url} (process ${service.pid}, home: ${home}).`,
          `Hob ${service.version} 正在 ${service.url} 运行（进程 ${service.pid}，数据目录：${home}）。`,
        ),
    ...(advice ? [advice] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describeInstalled(
  { kind, file, diagnosisCommand }: Platform,
  { installed, isActive, home }: { installed: string | null; isActive: boolean; home: string },
): string[] {
  if (installed === null)
    return [
      tr(
        'Hob does not start at login. To enable this: hob service install',
        'Hob 不会在登录时启动。需要的话：hob service install',
      ),
    ];
  return [
    tr(`Installed with ${kind}: ${file}`, `已通过 ${kind} 安装：${file}`),
    isActive
      ? tr(`Started by ${kind}.`, `${kind} 已将其启动。`)
      : tr(
          `Not running under ${kind}. To find the cause: ${diagnosisCommand}`,
          `${kind} 没有在运行它。查看原因：${diagnosisCommand}`,
        ),
    ...(installed.includes(home)
      ? []
      : [
          tr(
            `It is installed for a home other than ${home}. See the file above.`,
            `它是为另一个数据目录安装的，不是 ${home}，详见该文件。`,
          ),
        ]),
  ];
}

/** `hob service uninstall`: stops Hob and disables automatic start. Scripts and history are kept. */
async function uninstallService({ home: flag, dryRun, json }: ServiceOptions): Promise<void> {
  const { home } = await findService(flag);
  const platform = findPlatform(home);
  if (dryRun === true && json === true) return printJson({ removed: false, file: platform.file });
  if (dryRun === true) {
    const [before, after] = [platform.beforeRemoval, platform.afterRemoval].map((calls) =>
      calls.map((call) => `  ${commandLine(call)}\n`).join(''),
    );
    const removal = tr(`  remove ${platform.file}`, `  删除 ${platform.file}`);
    process.stdout.write(`${tr('Would perform these steps:', '将执行：')}\n${before}${removal}\n${after}`);
    return;
  }
  if (!existsSync(platform.file)) {
    if (json === true) return printJson({ removed: false, file: platform.file });
    process.stdout.write(tr('Automatic start is not installed.\n', '没有安装登录服务。\n'));
    return;
  }
  await callTools(platform.beforeRemoval);
  await rm(platform.file, { force: true }).catch((error: unknown) => {
    throw userError(
      `Cannot remove ${platform.file} (${errnoOf(error)}). Check the permissions of the folder.`,
      `无法删除 ${platform.file}（${errnoOf(error)}）。请检查文件夹权限。`,
    );
  });
  // These commands fail without a user session, and are then not needed.
  await callTools(platform.afterRemoval.map((call) => ({ ...call, mayFail: true })));
  if (json === true) return printJson({ removed: true, file: platform.file });
  process.stdout.write(
    tr(
      `Removed ${platform.file}. Your scripts and run history remain in ${home}.\n`,
      `已删除 ${platform.file}。脚本和运行历史仍保留在 ${home}。\n`,
    ),
  );
}

/** Stopping the service waits for open requests. */
const toolTimeoutMs = 120_000;

/** Runs the commands one after the other. Throws if a command fails that must not fail. */
async function callTools(calls: readonly ToolCall[]): Promise<void> {
  for (const call of calls) {
    const { ok, failure, stderr } = await runCommand(call.tool, call.args, { timeoutMs: toolTimeoutMs });
    if (ok || call.mayFail === true) continue;
    const why = printable(stderr.trim()) || failure;
    throw userError(
      `Command failed: ${commandLine(call)}\n${why}`,
      `命令执行失败：${commandLine(call)}\n${why}`,
    );
  }
}

function commandLine({ tool, args }: ToolCall): string {
  return [tool, ...args.map(quoteWord)].join(' ');
}
