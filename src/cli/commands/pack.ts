import type { Command } from 'commander';
import { tr } from '../language.ts';
import { type PackOptions, pack } from '../offline/pack.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[folder]', tr('folder of the script', '脚本所在的文件夹'), '.')
    .option(
      '-o, --output <file>',
      tr(
        'the file or folder to write to (default: NAME-VERSION.zip in the current folder)',
        '要写入的文件或文件夹（默认：当前文件夹中的 名称-版本.zip）',
      ),
    )
    .option('--force', tr('replace a file that is there already', '替换已有的文件'))
    .option('--json', tr('print what was written as JSON, for programs', '以 JSON 输出打包结果，供程序使用'))
    .addHelpText('after', examples)
    .action((folder: string, options: PackOptions) => pack(folder, options));
}

const examples = tr(
  `
Examples:
  hob pack
  hob pack ./resize-images -o /tmp/resize.zip

Makes a package of a script that others can install. What hob check finds wrong has to be mended first; environments, caches
and the history of version control stay out. It needs no service.
Exit codes: 0 it was written, 1 it was not (stderr says why), 2 the command was written wrongly.`,
  `
示例：
  hob pack
  hob pack ./resize-images -o /tmp/resize.zip

把脚本做成别人可以安装的包。hob check 发现的错误须先修正；运行环境、缓存和版本控制历史不会打包进去。不需要启动服务。
退出码：0 已写入，1 未写入（原因见 stderr），2 命令写法有误。`,
);
