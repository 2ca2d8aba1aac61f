import type { Command } from 'commander';

import { type PackOptions, pack } from '../offline/pack.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[folder]', 'folder of the script', '.')
    .option(
      '-o, --output <file>',
      'the file or folder to write to (default: NAME-VERSION.zip in the current folder)',
    )
    .option('--force', 'replace a file that is there already')
    .option('--json', 'print what was written as JSON, for programs')
    .addHelpText('after', examples)
    .action((folder: string, options: PackOptions) => pack(folder, options));
}

const examples = `
Examples:
  hob pack
  hob pack ./resize-images -o /tmp/resize.zip

Makes a package of a script that others can install. What hob check finds wrong has to be mended first; environments, caches
and the history of version control stay out. It needs no service.
Exit codes: 0 it was written, 1 it was not (stderr says why), 2 the command was written wrongly.`;
