import type { Command } from 'commander';

import { homeOption } from '../options.ts';
import { carryOut } from '../package/carry-out.ts';
import { describeInstalled, judgeEnd } from '../package/describe-end.ts';
import { sourceArgument } from '../package/source-argument.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';
import { printable } from '../terminal/text-width.ts';

interface InstallOptions {
  home?: string;
  json?: boolean;
  ref?: string;
  path?: string;
  prepare: boolean;
}

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('<source>', 'a folder, a .zip or .tar.gz file, or the address of a git repository')
    .option('--ref <ref>', 'a branch, tag or commit of the git repository (also: <address>#<ref>)')
    .option('--path <path>', 'the folder of the script in the source, where there are several')
    .option('--no-prepare', 'leave its environment to the first run')
    .option(...homeOption)
    .option('--json', 'print the operation as it ended, for programs')
    .addHelpText('after', examples + exitCodesText)
    .action(async (text: string, { home, json, ref, path, prepare }: InstallOptions) => {
      const source = await sourceArgument(text);
      const client = await ServiceClient.find(home);
      const subject = printable(text);
      const answer = await carryOut(client, {
        path: '/api/packages/install',
        body: { source, ...(ref !== undefined && { ref }), ...(path !== undefined && { path }), prepare },
        subject,
        onStop: `The installation of ${subject} was stopped. Nothing of it is left.`,
      });
      if (json === true) printJson(answer);
      const operation = judgeEnd(answer, subject);
      if (json !== true) process.stdout.write(await describeInstalled(client, operation));
    });
}

const examples = `
Examples:
  hob install ./resize-images
  hob install ~/Downloads/resize-images-1.0.0.zip
  hob install https://git.example.org/ada/scripts.git --ref v1.0 --path resize-images

A script that is installed already is not replaced: hob update does that. What it needs is prepared before it is there, and
its log is shown meanwhile. Whatever goes wrong, nothing is left half installed.
`;
