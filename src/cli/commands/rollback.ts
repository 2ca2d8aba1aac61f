import type { Command } from 'commander';
import { pickInstalled } from '../installed-packages.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  homeOption,
  operationJsonOption,
  scriptMeaning,
  strictUsage,
} from '../options.ts';
import { carryOut, checkEnd, describeRolledBack } from '../package-operation.ts';
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
      const { id, name } = await pickInstalled(client, wanted);
      const subject = printable(name);
      const answer = await carryOut(client, {
        path: `/api/packages/${encodeURIComponent(id)}/rollback`,
        body: {},
        subject,
        onStop: tr(`Cancelled the rollback. ${subject} is unchanged.`, `已停止回退，${subject} 保持不变。`),
      });
      if (json === true) printJson(answer);
      const operation = checkEnd(answer, subject);
      if (json !== true) process.stdout.write(describeRolledBack(operation));
    });
}

const examples = tr(
  `
Example: hob rollback "Resize images"

Only one previous version is kept. A second rollback returns to the newer version.
`,
  `
示例：hob rollback "Resize images"

只保留当前版本之前的一个版本。连续回退两次会回到原来的版本。
`,
);
