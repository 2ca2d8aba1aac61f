import type { Command } from 'commander';

import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { describeScripts, filterScripts } from '../run/list-scripts.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[query]', tr('text to find in the name, description or id', '名称、说明或 ID 中包含的文字'))
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (query: string | undefined, { home, json }: CommonOptions) => {
      const all = await (await ServiceClient.find(home)).get('/api/scripts');
      const answer = query === undefined ? all : filterScripts(all, query);
      const { isTTY, columns } = process.stdout;
      const shown = { isSearch: query !== undefined, lineWidth: isTTY ? columns : undefined };
      if (json === true) printJson(answer);
      else process.stdout.write(describeScripts(answer, shown));
    });
}
