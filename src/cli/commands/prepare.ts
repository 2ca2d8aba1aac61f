import type { Command } from 'commander';
import { pickScript, scriptsIn } from '../find-script.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  homeOption,
  operationJsonOption,
  scriptMeaning,
  strictUsage,
} from '../options.ts';
import { carryOut, checkEnd, describePrepared } from '../package-operation.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text-width.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('<script>', scriptMeaning)
    .option(...homeOption)
    .option(...operationJsonOption)
    .addHelpText('after', examples + exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { scripts } = await client.get('/api/scripts');
      const { id, name } = pickScript(scriptsIn(scripts), wanted);
      const subject = printable(name);
      const answer = await carryOut(client, {
        path: `/api/scripts/${encodeURIComponent(id)}/prepare`,
        body: {},
        subject,
        onStop: tr(
          `No longer waiting for the environment of ${subject}.`,
          `不再等待 ${subject} 的运行环境。`,
        ),
      });
      if (json === true) printJson(answer);
      const operation = checkEnd(answer, subject);
      if (json !== true) process.stdout.write(describePrepared(operation, subject));
    });
}

const examples = tr(
  `
Example: hob prepare "Resize images"

Creates the environment of a script before its first run, and shows the log. Works for installed scripts and for scripts in
your own folders.
`,
  `
示例：hob prepare "Resize images"

预先创建脚本所需的运行环境，首次运行时就不必再等。已安装的脚本和脚本文件夹中的脚本都可以。准备过程中会显示日志。
`,
);
