import type { Command } from 'commander';

import { check } from '../offline/check.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[folder]', 'folder of the script', '.')
    .option('--json', 'print what was found as JSON, for programs')
    .addHelpText('after', examples)
    .action((folder: string, { json }: { json?: boolean }) => check(folder, { isJson: json === true }));
}

const examples = `
Examples:
  hob check
  hob check ./resize-images --json

Says everything that is wrong with a script, with file, line and what to do. It needs no service.
Exit codes: 0 it can be installed (there may be notes), 1 there are errors, 2 the command was written wrongly.`;
