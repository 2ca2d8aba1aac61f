import type { Command } from 'commander';

import { drawTree } from '../history/draw-tree.ts';
import { lastScriptArgument, pathOfRun, pickRun, runOrLastArgument } from '../history/pick-run.ts';
import { readRun } from '../history/run-record.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(...runOrLastArgument)
    .argument(...lastScriptArgument)
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, script: string | undefined, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { id } = readRun(await pickRun(client, wanted, script));
      const tree = await client.get(`${pathOfRun(id)}/tree`);
      const { isTTY, columns } = process.stdout;
      if (json === true) printJson(tree);
      else process.stdout.write(drawTree(tree, isTTY ? columns : undefined));
    });
}
