import { type Command, Option } from 'commander';

import { type LogsOptions, logs } from '../history/logs.ts';
import { lastScriptArgument, runOrLastArgument } from '../history/pick-run.ts';
import { tr } from '../language.ts';
import { homeOption, plainJsonOption } from '../options.ts';
import { countArgument } from '../run/arguments.ts';
import { strictUsage } from '../strict-usage.ts';

const mostLines = 1_000_000;

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(...runOrLastArgument)
    .argument(...lastScriptArgument)
    .option('-f, --follow', tr('go on as the script writes, until it has ended', '持续输出，直到脚本结束'))
    .option('--stdout', tr('only what went to stdout', '只输出 stdout'))
    .addOption(new Option('--stderr', tr('only what went to stderr', '只输出 stderr')).conflicts('stdout'))
    .option(
      '--tail <lines>',
      tr('only the last lines of each stream', '每个输出流只显示最后若干行'),
      countArgument(0, mostLines),
    )
    .addOption(
      new Option(
        '--notes',
        tr(
          'what Hob itself noted about the run, in place of its output',
          '输出 Hob 对该运行的备注，而不是脚本的输出',
        ),
      ).conflicts(['follow', 'tail', 'stdout', 'stderr']),
    )
    .option(...homeOption)
    .option(...plainJsonOption)
    .addHelpText('after', help)
    .action((wanted: string, script: string | undefined, options: LogsOptions) =>
      logs(wanted, script, options),
    );
}

const help = tr(
  `
Examples:
  hob logs last
  hob logs last "Resize images" --tail 20
  hob logs 93081ff8 -f

What went to stdout is printed to stdout, and what went to stderr to stderr, byte
for byte. Ctrl-C ends the following, not the run.

With --json it is one object with the texts of the streams; with -f as well, one
line of JSON for each event as it comes, the last of them run.ended.`,
  `
示例：
  hob logs last
  hob logs last 图片缩放 --tail 20
  hob logs 93081ff8 -f

stdout 的内容输出到 stdout，stderr 的内容输出到 stderr，逐字节原样。
按 Ctrl-C 只停止跟踪，不会停止运行。

加上 --json 时输出一个对象，包含各个输出流的文本；同时加上 -f 时，
每个事件输出一行 JSON，最后一行是 run.ended。`,
);
