import type { Command } from 'commander';

import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { pickInstalled } from '../package/installed.ts';
import { describeUninstalled, uninstall } from '../package/uninstall.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('<script>', 'the id, the beginning of the id (4 characters or more) or the exact name')
    .option('--yes', 'do not ask')
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', examples + exitCodesText)
    .action(async (wanted: string, { home, json, yes }: CommonOptions & { yes?: boolean }) => {
      const client = await ServiceClient.find(home);
      const target = await pickInstalled(client, wanted);
      const answer = await uninstall(client, target, { isSure: yes === true });
      if (json === true) printJson(answer);
      else process.stdout.write(describeUninstalled(target, answer));
    });
}

const examples = `
Examples:
  hob uninstall "Resize images"
  hob uninstall 2f0c5c5e --yes

A run in flight keeps its files until it has ended. Its environment goes later by itself, when no other script needs it.
`;
