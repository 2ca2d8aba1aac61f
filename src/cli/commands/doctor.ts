import type { Command } from 'commander';

import { type DoctorOptions, doctor } from '../offline/doctor.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .option('--home <dir>', 'home to look at (default: HOB_HOME, else the data folder of the platform)')
    .option('--all', 'show every note, also where there are many')
    .option('--json', 'print what was found as JSON, for programs')
    .addHelpText('after', examples)
    .action((options: DoctorOptions) => doctor(options));
}

const examples = `
Examples:
  hob doctor
  hob doctor --json

Looks at the machine, the home, the service and the scripts, changes nothing, and says what to do next. It works when the service
does not.
Exit codes: 0 there is no problem (there may be notes), 1 there is one, 2 the command was written wrongly.`;
