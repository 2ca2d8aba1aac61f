import type { Command } from 'commander';

import { numberOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { describeEnvironments, pickKey } from '../package/list-environments.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatBytes } from '../terminal/quantities.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command.helpCommand(false).addHelpText('after', exitCodesText);

  command
    .command('list', { isDefault: true })
    .description(
      tr(
        'list environments with their kind, size, last use and scripts',
        '列出脚本的运行环境：种类、大小、最近使用时间，以及哪些脚本需要它',
      ),
    )
    .option(...homeOption)
    .option(...jsonOption)
    .action(async ({ home, json }: CommonOptions) => {
      const answer = await (await ServiceClient.find(home)).get('/api/environments');
      const { isTTY, columns } = process.stdout;
      if (json === true) printJson(answer);
      else process.stdout.write(describeEnvironments(answer, isTTY ? columns : undefined));
    });

  command
    .command('rm')
    .description(
      tr(
        'remove an environment; the next run of a script that needs it creates a new one',
        '删除一个运行环境；需要它的脚本在下次运行时会重新创建',
      ),
    )
    .argument(
      '<key>',
      tr(
        'key of the environment, or a prefix of it (at least 4 characters)',
        '环境的标识，或其开头（至少 4 个字符）',
      ),
    )
    .option(...homeOption)
    .option(...jsonOption)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const key = pickKey(await client.get('/api/environments'), wanted);
      const answer = await client.delete(`/api/environments/${encodeURIComponent(key)}`);
      const freed = formatBytes(numberOf(answer.freed_bytes) ?? 0);
      if (json === true) printJson(answer);
      else
        process.stdout.write(
          tr(
            `Removed the environment ${key} and freed ${freed}.\n`,
            `已删除运行环境 ${key}，释放了 ${freed}。\n`,
          ),
        );
    });
}
