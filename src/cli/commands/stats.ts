import type { Command } from 'commander';

import { describeStats } from '../history/describe-stats.ts';
import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { countArgument } from '../run/arguments.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';

const usualDays = 30;
const mostDays = 400;

export function configure(command: Command): void {
  strictUsage(command);
  command
    .option(
      '--days <count>',
      tr('number of days up to today', '截至今天的天数'),
      countArgument(1, mostDays),
      usualDays,
    )
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async ({ days, home, json }: CommonOptions & { days: number }) => {
      const answer = await (await ServiceClient.find(home)).get(`/api/stats?days=${days}`);
      const { isTTY, columns } = process.stdout;
      if (json === true) printJson(answer);
      else process.stdout.write(describeStats(answer, isTTY ? columns : undefined));
    });
}
