import type { Command } from 'commander';

import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { runCommandOf } from '../package/run-command-of.ts';
import { describeScript } from '../run/describe-script.ts';
import { findScript } from '../run/script-shape.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';

const shownRuns = 5;

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(
      '<script>',
      tr(
        'its name, a part of its name, its id or the beginning of its id',
        '名称、名称的一部分、ID 或 ID 的开头',
      ),
    )
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { script, answer } = await findScript(client, wanted);
      if (json === true) return printJson(answer);
      const runs = await client.get(`/api/runs?limit=${shownRuns}&script=${encodeURIComponent(script.id)}`);
      const curl = await runCommandOf(client, script.id);
      const { isTTY, columns } = process.stdout;
      process.stdout.write(describeScript({ answer, runs, curl }, isTTY ? columns : undefined));
    });
}
