import type { Command } from 'commander';

import { tr } from '../language.ts';
import { type ExportOptions, exportTo } from '../offline/export.ts';
import { homeOption, plainJsonOption } from '../options.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('<file>', tr('file or folder to write to', '要写入的文件或文件夹'))
    .option('--force', tr('replace an existing file', '替换已有的文件'))
    .option(...homeOption)
    .option(...plainJsonOption)
    .addHelpText('after', examples + exitCodesText)
    .action((file: string, options: ExportOptions) => exportTo(file, options));
}

const examples = tr(
  `
Examples:
  hob export hob.tar.gz
  hob export /media/usb

Writes your scripts, the list of installed packages, the settings and the history to a .tar.gz file for hob import on another
machine. The service may be running. The file contains no tokens, no secret params and no models. Only you can read it.`,
  `
示例：
  hob export hob.tar.gz
  hob export /media/usb

把您的脚本、已安装脚本包的清单、设置和运行记录写入一个 .tar.gz 文件，供另一台电脑用 hob import 导入。服务可以正在运行。
文件中没有令牌、保密参数和模型，只有您可以读取。`,
);
