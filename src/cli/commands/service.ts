import type { Command } from 'commander';

import { tr } from '../language.ts';
import { type CommonOptions, homeOption, plainJsonOption } from '../options.ts';
import { installService, type ServiceOptions } from '../service/install.ts';
import { showStatus } from '../service/status.ts';
import { uninstallService } from '../service/uninstall.ts';
import { strictUsage } from '../strict-usage.ts';

const dryRunOption = ['--dry-run', tr('only say what would be done', '只说明会做什么')] as const;

export function configure(command: Command): void {
  strictUsage(command);
  command.helpCommand(false).addHelpText('after', explanation);

  command
    .command('install')
    .description(tr('start Hob now, and whenever you log in', '现在启动 Hob，以后登录时自动启动'))
    .option(...homeOption)
    .option(...dryRunOption)
    .option(...plainJsonOption)
    .action((options: ServiceOptions) => installService(options));

  command
    .command('uninstall')
    .description(tr('stop it, and do not start it any more', '停止它，并且不再自动启动'))
    .option(...homeOption)
    .option(...dryRunOption)
    .option(...plainJsonOption)
    .action((options: ServiceOptions) => uninstallService(options));

  command
    .command('status')
    .description(tr('whether it is installed, and whether Hob runs', '是否已安装，Hob 是否在运行'))
    .option(...homeOption)
    .option('--json', tr('print it as JSON, for programs', '以 JSON 输出，供程序使用'))
    .action((options: CommonOptions) => showStatus(options));
}

const explanation = tr(
  `
Examples:
  hob service install
  hob service install --dry-run
  hob service status --json

It is a unit of systemd on Linux, an agent of launchd on macOS and a task on Windows; none needs an administrator. Scripts that are
running go on when the service is stopped or started again.
Exit codes: 0 it was done, 1 it could not be done (stderr says why), 2 the command was written wrongly.`,
  `
示例：
  hob service install
  hob service install --dry-run
  hob service status --json

在 Linux 上是 systemd 用户单元，在 macOS 上是 launchd 代理，在 Windows 上是计划任务，都不需要管理员权限。服务停止或重启时，正在运行的脚本会继续运行。
退出码：0 已完成，1 未能完成（原因见 stderr），2 命令写法有误。`,
);
