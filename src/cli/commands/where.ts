import type { Command } from 'commander';

import { findScript } from '../find-script.ts';
import { type CommonOptions, exitCodesText, homeOption, plainJsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printAnswer } from '../terminal/print.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '<script>': [
      'slug, name, part of the name, id or id prefix',
      'slug、名称、名称的一部分、ID 或 ID 的开头',
    ],
    ...homeOption,
    ...plainJsonOption,
  })
    .addHelpText('after', `\n  cd "$(hob where resize)"\n${exitCodesText}`)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const { folder } = await findScript(await ServiceClient.find(home), wanted);
      printAnswer({ folder }, json, () => `${folder}\n`);
    });
}
