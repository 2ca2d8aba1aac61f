import type { Command } from 'commander';
import { tr } from '../language.ts';
import { type DoctorOptions, doctor } from '../offline/doctor.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .option(
      '--home <dir>',
      tr(
        "home folder to check (default: HOB_HOME, or the platform's data folder)",
        '要检查的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
      ),
    )
    .option('--all', tr('show all notes, even if there are many', '显示所有提示，即使很多'))
    .option('--json', tr('print the findings as JSON', '以 JSON 输出检查结果，供程序使用'))
    .addHelpText('after', examples)
    .action((options: DoctorOptions) => doctor(options));
}

const examples = tr(
  `
Examples:
  hob doctor
  hob doctor --json

Checks the machine, the home, the service and the scripts, and suggests what to do next. It changes nothing, and it works even if
the service does not. It starts only programs of the system, never a program from a script or package.
Exit codes: 0 no problems (there may be notes), 1 problems found, 2 usage error.`,
  `
示例：
  hob doctor
  hob doctor --json

检查这台电脑、数据目录、服务和脚本，不做任何更改，并给出下一步。服务无法启动时也能使用。
只会启动系统中的程序，不会启动脚本或脚本包带来的程序。
退出码：0 没有问题（可能有提示），1 有问题，2 命令写法有误。`,
);
