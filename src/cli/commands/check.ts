import type { Command } from 'commander';
import { checkedAsJson, describeChecked, examineFolder } from '../offline/check-folder.ts';
import { helpText, withSignature } from '../options.ts';
import { printJson } from '../terminal/print.ts';
import { ReportedError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '[folder]': ['folder of the script', '脚本所在的文件夹', { default: '.' }],
    '--json': ['print the problems as JSON', '以 JSON 输出检查结果，供程序使用'],
  })
    .addHelpText('after', examples)
    .action(async (folder: string, { json }: { json?: boolean }) => {
      const checked = await examineFolder(folder);
      if (json === true) printJson(checkedAsJson(checked));
      else process.stdout.write(describeChecked(checked, process.stdout));
      if (checked.errors > 0) throw new ReportedError();
    });
}

const examples = helpText(
  ['hob check', 'hob check ./resize-images --json'],
  `Lists all problems of a script, with file, line and solution. Needs no running service and starts no program.
Exit codes: 0 no errors (there may be notes), 1 errors found, 2 usage error.`,
  `列出脚本的所有问题，包括文件、行号和解决办法。不需要启动服务，也不会启动任何程序。
退出码：0 可以安装（可能有提示），1 有错误，2 命令写法有误。`,
);
