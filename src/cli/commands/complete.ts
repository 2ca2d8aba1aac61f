import type { Command } from 'commander';
import type { Offer } from '../completion/candidate.ts';
import { offerFor } from '../completion/offer-for.ts';
import { printable } from '../terminal/text-width.ts';

export function configure(command: Command): void {
  command
    .argument('[words...]')
    .helpOption(false)
    .action(async (words: string[]) => {
      const program = command.parent ?? command;
      process.stdout.write(offerLines(await offerFor(program, words), words.at(-1) ?? ''));
    });
}

/** One candidate per line, with its description after a tab. `:files` or `:folders` asks the shell to list paths itself. */
export function offerLines(offer: Offer, typed: string): string {
  if (offer.kind !== 'candidates') return `:${offer.kind}\n`;
  return offer.candidates
    .filter(({ value }) => value !== '' && value.startsWith(typed) && printable(value) === value)
    .map(({ value, meaning }) => `${value}\t${oneLine(meaning)}\n`)
    .join('');
}

function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}
