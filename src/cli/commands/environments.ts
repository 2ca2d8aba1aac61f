import type { Command } from 'commander';

import { numberOf } from '../answer-fields.ts';
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
    .description('what scripts are run with: kind, size, last use, and who needs it')
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
    .description('remove one; a script that needs it gets a new one at its next run')
    .argument('<key>', 'the key, or its beginning (4 characters or more)')
    .option(...homeOption)
    .option(...jsonOption)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const key = pickKey(await client.get('/api/environments'), wanted);
      const answer = await client.delete(`/api/environments/${encodeURIComponent(key)}`);
      const freed = formatBytes(numberOf(answer.freed_bytes) ?? 0);
      if (json === true) printJson(answer);
      else process.stdout.write(`Removed the environment ${key}; ${freed} are free again.\n`);
    });
}
