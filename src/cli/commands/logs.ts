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
    .option('-f, --follow', tr('keep printing new output until the run ends', '持续输出，直到脚本结束'))
    .option('--stdout', tr('print only stdout', '只输出 stdout'))
    .addOption(new Option('--stderr', tr('print only stderr', '只输出 stderr')).conflicts('stdout'))
    .option(
      '--tail <lines>',
      tr('print only this many lines from the end of each stream', '每个输出流只显示最后若干行'),
      countArgument(0, mostLines),
    )
    .addOption(
      new Option(
        '--notes',
        tr(
          'print the notes of Hob about the run instead of its output',
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

The stdout of the run is printed to stdout and its stderr to stderr, byte for byte.
Ctrl-C stops following; the run continues.

With --json the result is one object with the text of each stream. With --json -f
it is one line of JSON per event; the last event is run.ended.`,
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
