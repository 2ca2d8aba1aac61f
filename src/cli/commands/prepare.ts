import type { Command } from 'commander';

import { type CommonOptions, homeOption } from '../options.ts';
import { carryOut } from '../package/carry-out.ts';
import { describePrepared, judgeEnd } from '../package/describe-end.ts';
import { pickScript, scriptsIn } from '../pick-script.ts';
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
      const { scripts } = await client.get('/api/scripts');
      const { id, name } = pickScript(scriptsIn(scripts), wanted);
      const subject = printable(name);
      const answer = await carryOut(client, {
        path: `/api/scripts/${encodeURIComponent(id)}/prepare`,
        body: {},
        subject,
        onStop: `This command waits no longer for the environment of ${subject}.`,
      });
      if (json === true) printJson(answer);
      const operation = judgeEnd(answer, subject);
      if (json !== true) process.stdout.write(describePrepared(operation, subject));
    });
}

const examples = `
Example: hob prepare "Resize images"

Makes the environment that a script needs, installed or in a folder of scripts, so that its first run need not. Its log is
shown meanwhile.
`;
