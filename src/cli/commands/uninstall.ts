import type { Command } from 'commander';

import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption, scriptMeaning } from '../options.ts';
import { pickInstalled } from '../package/installed.ts';
import { describeUninstalled, uninstall } from '../package/uninstall.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('<script>', scriptMeaning)
    .option('--yes', tr('do not ask for confirmation', '不询问，直接执行'))
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', examples + exitCodesText)
    .action(async (wanted: string, { home, json, yes }: CommonOptions & { yes?: boolean }) => {
      const client = await ServiceClient.find(home);
      const target = await pickInstalled(client, wanted);
      const answer = await uninstall(client, target, { isConfirmed: yes === true });
      if (json === true) printJson(answer);
      else process.stdout.write(describeUninstalled(target, answer));
    });
}

const examples = tr(
  `
Examples:
  hob uninstall "Resize images"
  hob uninstall 2f0c5c5e --yes

Active runs keep their files until they end. The environment is removed later, when no other script needs it.
`,
  `
示例：
  hob uninstall "Resize images"
  hob uninstall 2f0c5c5e --yes

正在进行的运行会保留所需的文件，直到结束。运行环境在没有其他脚本需要时，稍后会自动删除。
`,
);
