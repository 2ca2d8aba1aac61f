import { quoteWord } from '../quote-word.ts';
import type { NewScript } from './new-script.ts';
import { sampleValue } from './sample-input.ts';

/** The command that runs a new script in this folder on what it can be tried with. */
export function runLine({ id, name, input }: NewScript, folder: string, isNameTaken = false): string {
  const value = sampleValue(input, folder);
  // A name that another has, or that looks like an option, would mean something else.
  const word = isNameTaken || name.startsWith('-') ? id : quoteWord(name);
  return ['hob run', word, ...(value === null ? [] : [quoteWord(value)])].join(' ');
}
