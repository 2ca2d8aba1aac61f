import type { Command } from 'commander';
import { describePackages } from '../installed-packages.ts';
import { type CommonOptions, homeOption, jsonOption, strictUsage } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .option(...homeOption)
    .option(...jsonOption)
    .action(async ({ home, json }: CommonOptions) => {
      const answer = await (await ServiceClient.find(home)).get('/api/packages');
      const { isTTY, columns } = process.stdout;
      if (json === true) printJson(answer);
      else process.stdout.write(describePackages(answer, isTTY ? columns : undefined));
    });
}
