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
        'file or folder to write to (default: NAME-VERSION.zip in the current folder)',
        '要写入的文件或文件夹（默认：当前文件夹中的 名称-版本.zip）',
      ),
    )
    .option('--force', tr('replace an existing file', '替换已有的文件'))
    .option('--json', tr('print the result as JSON', '以 JSON 输出打包结果，供程序使用'))
    .addHelpText('after', examples)
    .action((folder: string, options: PackOptions) => pack(folder, options));
}

const examples = tr(
  `
Examples:
  hob pack
  hob pack ./resize-images -o /tmp/resize.zip

Creates a package that others can install. Fix the errors that hob check reports first. Environments, caches and the version
control history are left out. Needs no running service.
Exit codes: 0 success, 1 failure (see stderr), 2 usage error.`,
  `
示例：
  hob pack
  hob pack ./resize-images -o /tmp/resize.zip

把脚本做成别人可以安装的包。hob check 发现的错误须先修正；运行环境、缓存和版本控制历史不会打包进去。不需要启动服务。
退出码：0 已写入，1 未写入（原因见 stderr），2 命令写法有误。`,
);
