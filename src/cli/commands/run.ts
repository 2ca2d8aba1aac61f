import { type Command, Option } from 'commander';

import { tr } from '../language.ts';
import { homeOption } from '../options.ts';
import { collect, secondsArgument } from '../run/arguments.ts';
import { type RunOptions, run } from '../run/run.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .showHelpAfterError(
      tr(
        '(a param of the script is given as -p name=value; hob run --help says more)',
        '（脚本的参数用 -p 名称=值 给出；详见 hob run --help）',
      ),
    )
    .argument(
      '<script>',
      tr(
        'its name, a part of its name, its id or the beginning of its id',
        '名称、名称的一部分、ID 或 ID 的开头',
      ),
    )
    .argument(
      '[values...]',
      tr(
        'values of its main input, such as files; - reads them from stdin, one a line',
        '主输入的值，例如文件；- 表示从标准输入读取，每行一个',
      ),
    )
    .option(
      '-p, --param <name=value>',
      tr('a param; may be given several times', '参数，可多次使用'),
      collect,
    )
    .option(
      '--undeclared',
      tr('pass on params that its manifest does not declare', '允许传递清单中未声明的参数'),
    )
    .option('--async', tr('print the id of the run, and do not wait for it', '只输出运行 ID，不等待结束'))
    .option('--follow', tr('with --async: wait for it all the same', '与 --async 同用：仍然等待结束'))
    .addOption(
      new Option('--timeout <seconds>', tr('cancel the run after so many seconds', '超过指定秒数则取消运行'))
        .argParser(secondsArgument)
        .conflicts('async'),
    )
    .option(...homeOption)
    .option('--json', tr('print how it ended as JSON, for programs', '以 JSON 输出结果，供程序使用'))
    .addHelpText('after', help)
    .action((wanted: string, values: string[], options: RunOptions) => run(wanted, values, options));
}

const help = tr(
  `
Examples:
  hob run "Resize images" a.png b.png -p quality=80
  find . -name '*.md' | hob run statistics -
  hob run backup -p key=@key.txt   the value is in a file; @- is stdin
  hob run backup --async           prints the id of the run, and does not wait

What the script prints comes through as it is: stdout to stdout, stderr to
stderr. How it went is said on stderr. What is required and missing is asked
for; secrets are not shown. Ctrl-C stops the run, a second one leaves it alone.

Exit codes: 0 it succeeded, and its own result says so, too; 1 it did not, or it
could not be run; 2 the command was written wrongly; 124 --timeout was over;
130 it was stopped by Ctrl-C.`,
  `
示例：
  hob run 图片缩放 a.png b.png -p quality=80
  find . -name '*.md' | hob run statistics -
  hob run backup -p key=@key.txt   值在文件中；@- 表示从标准输入读取
  hob run backup --async           只输出运行 ID，不等待结束

脚本的输出原样转发：stdout 到 stdout，stderr 到 stderr；运行结果显示在 stderr。
缺少的必填参数会逐一询问，机密不会显示。
按 Ctrl-C 停止运行，再按一次直接退出，不再等待。

退出码：0 成功，且脚本返回的 code 为 0；1 失败或无法运行；2 命令写法有误；
124 超过 --timeout；130 被 Ctrl-C 停止。`,
);
