import type { Command } from 'commander';
import { tr } from '../language.ts';
import { check } from '../offline/check.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[folder]', tr('folder of the script', '脚本所在的文件夹'), '.')
    .option('--json', tr('print what was found as JSON, for programs', '以 JSON 输出检查结果，供程序使用'))
    .addHelpText('after', examples)
    .action((folder: string, { json }: { json?: boolean }) => check(folder, { isJson: json === true }));
}

const examples = tr(
  `
Examples:
  hob check
  hob check ./resize-images --json

Says everything that is wrong with a script, with file, line and what to do. It needs no service and starts no program.
Exit codes: 0 it can be installed (there may be notes), 1 there are errors, 2 the command was written wrongly.`,
  `
示例：
  hob check
  hob check ./resize-images --json

列出脚本的所有问题，包括文件、行号和解决办法。不需要启动服务，也不会启动任何程序。
退出码：0 可以安装（可能有提示），1 有错误，2 命令写法有误。`,
);
