import type { Command } from 'commander';

import { offerFor } from '../completion/offer-for.ts';
import { offerLines } from '../completion/offer-lines.ts';

export function configure(command: Command): void {
  command
    .argument('[words...]')
    .helpOption(false)
    .action(async (words: string[]) => {
      const program = command.parent ?? command;
      process.stdout.write(offerLines(await offerFor(program, words), words.at(-1) ?? ''));
    });
}
