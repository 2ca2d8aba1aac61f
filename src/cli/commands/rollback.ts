import type { Command } from 'commander';

import { type CommonOptions, homeOption } from '../options.ts';
import { carryOut } from '../package/carry-out.ts';
import { describeRolledBack, judgeEnd } from '../package/describe-end.ts';
import { pickInstalled } from '../package/installed.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';
import { printable } from '../terminal/text-width.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('<script>', 'the id, the beginning of the id (4 characters or more) or the exact name')
    .option(...homeOption)
    .option('--json', 'print the operation as it ended, for programs')
    .addHelpText('after', examples + exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { id, name } = await pickInstalled(client, wanted);
      const subject = printable(name);
      const answer = await carryOut(client, {
        path: `/api/packages/${encodeURIComponent(id)}/rollback`,
        body: {},
        subject,
        onStop: `Going back was stopped. ${subject} stays as it is.`,
      });
      if (json === true) printJson(answer);
      const operation = judgeEnd(answer, subject);
      if (json !== true) process.stdout.write(describeRolledBack(operation));
    });
}

const examples = `
Example: hob rollback "Resize images"

One version before the current one is kept. Rolling back twice is back where it was.
`;
