import { type Command, InvalidArgumentError, Option } from 'commander';

import { tr } from '../language.ts';
import { type MakeOptions, makeScript } from '../new/make-script.ts';
import { inputKinds, languages } from '../new/new-script.ts';
import { homeOption } from '../options.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[name]', tr('name of the script; can contain spaces', '脚本名称，可以有空格'))
    .addOption(
      new Option('--lang <language>', tr('language of the script', '用什么语言编写')).choices(languages),
    )
    .option('--desc <text>', tr('description in one sentence', '一句话说明它做什么'))
    .addOption(new Option('--input <kind>', tr('kind of input', '它处理什么')).choices(inputKinds))
    .option('--node', tr('allow other scripts to call it', '允许其他脚本调用它'))
    .option('--id <uuid>', tr('id of the script (default: a new one)', '脚本 ID（默认：自动生成）'), checkId)
    .option(
      '--dir <dir>',
      tr('parent folder (default: scripts in the home)', '放在哪个文件夹里（默认：数据目录下的 scripts）'),
    )
    .option('--yes', tr('do not prompt; use defaults for missing values', '什么都不问，未给出的采用默认值'))
    .option(...homeOption)
    .option('--json', tr('print the created script as JSON', '以 JSON 输出写入的内容，供程序使用'))
    .addHelpText('after', examples)
    .action((name: string | undefined, options: MakeOptions) => makeScript(name, options));
}

function checkId(text: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError(tr('Expected a UUID.', 'ID 必须是 UUID。'));
}

const examples = tr(
  `
Examples:
  hob new
  hob new "Resize images" --lang python
  hob new count-words --lang bash --input text --yes

Creates a folder with a manifest, a working program, sample input and a README. In a terminal, hob prompts for missing values.
Existing files are never overwritten.
Exit codes: 0 success, 1 failure (see stderr), 2 usage error, 130 interrupted by Ctrl-C.`,
  `
示例：
  hob new
  hob new "图片放大" --lang python
  hob new count-words --lang bash --input text --yes

创建一个文件夹，里面有清单、可以直接运行的程序、试运行用的输入和 README。在终端中会询问没有给出的内容。不会覆盖已有的文件。
退出码：0 已创建，1 未创建（原因见 stderr），2 命令写法有误，130 被 Ctrl-C 中断。`,
);
