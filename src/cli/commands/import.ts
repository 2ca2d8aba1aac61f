import type { Command } from 'commander';

import { tr } from '../language.ts';
import { type ImportOptions, importFrom } from '../offline/import.ts';
import { homeOption, plainJsonOption } from '../options.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('<file>', tr('file that hob export wrote', 'hob export 写入的文件'))
    .option(
      '--merge',
      tr('add to a home that is not empty, and overwrite nothing', '添加到非空的数据目录，不覆盖任何内容'),
    )
    .option(...homeOption)
    .option(...plainJsonOption)
    .addHelpText('after', examples + exitCodesText)
    .action((file: string, options: ImportOptions) => importFrom(file, options));
}

const examples = tr(
  `
Examples:
  hob import hob.tar.gz
  hob import hob.tar.gz --merge

Adds the scripts, settings and runs of an export to the home, and lists the packages to install. Stop the service first. A home that
already has scripts, settings or runs needs --merge: Hob then skips everything that the home already has, and says so.`,
  `
示例：
  hob import hob.tar.gz
  hob import hob.tar.gz --merge

把导出文件中的脚本、设置和运行记录添加到数据目录，并列出需要安装的脚本包。请先停止服务。数据目录中已有脚本、设置或运行记录时，
须加上 --merge：已有的内容会被跳过，并一一说明。`,
);
