import { printable } from '../terminal/text-width.ts';
import type { Offer } from './candidate.ts';

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
