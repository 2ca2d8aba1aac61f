import type { Command } from 'commander';

import { tr } from '../language.ts';
import { type CommonOptions, homeOption, plainJsonOption } from '../options.ts';
import { installService, type ServiceOptions } from '../service/install.ts';
import { showStatus } from '../service/status.ts';
import { uninstallService } from '../service/uninstall.ts';
import { strictUsage } from '../strict-usage.ts';

const dryRunOption = [
  '--dry-run',
  tr('show what would be done, but change nothing', '只说明会做什么'),
] as const;

export function configure(command: Command): void {
  strictUsage(command);
  command.helpCommand(false).addHelpText('after', explanation);

  command
    .command('install')
    .description(tr('start Hob now and at every login', '现在启动 Hob，以后登录时自动启动'))
    .option(...homeOption)
    .option(...dryRunOption)
    .option(...plainJsonOption)
    .action((options: ServiceOptions) => installService(options));

  command
    .command('uninstall')
    .description(tr('stop Hob and no longer start it at login', '停止它，并且不再自动启动'))
    .option(...homeOption)
    .option(...dryRunOption)
    .option(...plainJsonOption)
    .action((options: ServiceOptions) => uninstallService(options));

  command
    .command('status')
    .description(
      tr(
        'show whether automatic start is installed and whether Hob is running',
        '是否已安装，Hob 是否在运行',
      ),
    )
    .option(...homeOption)
    .option('--json', tr('print JSON', '以 JSON 输出，供程序使用'))
    .action((options: CommonOptions) => showStatus(options));
}

const explanation = tr(
  `
Examples:
  hob service install
  hob service install --dry-run
  hob service status --json

Uses a systemd user unit on Linux, a launchd agent on macOS and a scheduled task on Windows. None of them needs administrator
rights. Running scripts continue while the service is stopped or restarted.
Exit codes: 0 success, 1 failure (see stderr), 2 usage error.`,
  `
示例：
  hob service install
  hob service install --dry-run
  hob service status --json

在 Linux 上是 systemd 用户单元，在 macOS 上是 launchd 代理，在 Windows 上是计划任务，都不需要管理员权限。服务停止或重启时，正在运行的脚本会继续运行。
退出码：0 已完成，1 未能完成（原因见 stderr），2 命令写法有误。`,
);
