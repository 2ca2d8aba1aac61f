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
        "Pass params of the script as -p name=value. Run 'hob run --help' for usage.",
        '（脚本的参数用 -p 名称=值 给出；详见 hob run --help）',
      ),
    )
    .argument(
      '<script>',
      tr('name of the script, part of the name, id or id prefix', '名称、名称的一部分、ID 或 ID 的开头'),
    )
    .argument(
      '[values...]',
      tr(
        'values of the main input, such as files; - reads them from stdin, one per line',
        '主输入的值，例如文件；- 表示从标准输入读取，每行一个',
      ),
    )
    .option('-p, --param <name=value>', tr('set a param; can be repeated', '参数，可多次使用'), collect)
    .option(
      '--undeclared',
      tr('allow params that the manifest does not declare', '允许传递清单中未声明的参数'),
    )
    .option(
      '--async',
      tr('print the run id and exit without waiting for the run', '只输出运行 ID，不等待结束'),
    )
    .option('--follow', tr('with --async: wait for the run anyway', '与 --async 同用：仍然等待结束'))
    .addOption(
      new Option(
        '--timeout <seconds>',
        tr('cancel the run after this many seconds', '超过指定秒数则取消运行'),
      )
        .argParser(secondsArgument)
        .conflicts('async'),
    )
    .option(...homeOption)
    .option('--json', tr('print the result as JSON', '以 JSON 输出结果，供程序使用'))
    .addHelpText('after', help)
    .action((wanted: string, values: string[], options: RunOptions) => run(wanted, values, options));
}

const help = tr(
  `
Examples:
  hob run "Resize images" a.png b.png -p quality=80
  find . -name '*.md' | hob run statistics -
  hob run backup -p key=@key.txt   read the value from a file (@- for stdin)
  hob run backup --async           print the run id and exit

The output of the script is passed through unchanged: stdout to stdout, stderr to
stderr. The result is printed to stderr. hob prompts for missing required params
and does not echo secrets. Ctrl-C cancels the run; a second Ctrl-C exits without
waiting for it.

Exit codes: 0 the run succeeded, and the code in its envelope, if it wrote one, is
0; 1 the run failed or could not start; 2 usage error; 124 --timeout expired;
130 cancelled by Ctrl-C.`,
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
