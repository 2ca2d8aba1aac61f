import type { Command } from 'commander';

import { homeOption } from '../options.ts';
import { type UpdateOptions, update } from '../package/update.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[script...]', 'the id, the beginning of the id (4 characters or more) or the exact name')
    .option('--all', 'update everything that is installed')
    .option('--from <source>', 'get it from here from now on, and not from where it came (see hob install)')
    .option('--ref <ref>', 'another branch, tag or commit of the git repository')
    .option('--path <path>', 'another folder in the source')
    .option('--no-prepare', 'leave its environment to the first run')
    .option(...homeOption)
    .option('--json', 'print the operation as it ended, for programs; several as a list')
    .addHelpText('after', examples + exitCodesText)
    .action((scripts: string[], options: UpdateOptions) => update(scripts, options));
}

const examples = `
Examples:
  hob update "Resize images"
  hob update 2f0c5c5e --ref v1.1
  hob update 2f0c5c5e --from ./resize-images
  hob update --all

Runs in flight keep the version they began with. A new version that is broken, or whose environment cannot be made, does not take
the place of the one that works. The version before is kept: hob rollback goes back to it.
`;
