import type { Command } from 'commander';

import { lastScriptArgument, runArgument } from '../history/pick-run.ts';
import { type RerunOptions, rerun } from '../history/rerun.ts';
import { tr } from '../language.ts';
import { homeOption } from '../options.ts';
import { collect } from '../run/arguments.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(...runArgument)
    .argument(...lastScriptArgument)
    .option(
      '-p, --param <name=value>',
      tr('replace a recorded param; can be repeated', '替换记录中的参数，可多次使用'),
      collect,
    )
    .option(
      '--undeclared',
      tr('allow params that the manifest does not declare', '允许传递清单中未声明的参数'),
    )
    .option(
      '-f, --follow',
      tr('show the new run until it ends, as hob run does', '像 hob run 一样显示新的运行，直到结束'),
    )
    .option(...homeOption)
    .option('--json', tr('print JSON', '以 JSON 输出，供程序使用'))
    .addHelpText('after', help)
    .action((wanted: string, script: string | undefined, options: RerunOptions) =>
      rerun(wanted, script, options),
    );
}

const help = tr(
  `
Examples:
  hob rerun last --follow
  hob rerun 93081ff8 -p quality=60

Prints the id of the new run. Secrets are not recorded: hob prompts for them, or
reads them from a file with -p name=@file.`,
  `
示例：
  hob rerun last --follow
  hob rerun 93081ff8 -p quality=60

输出新运行的 ID。机密不在记录中，会重新询问，也可以用 -p 名称=@文件 提供。`,
);
