import { quoteWord } from '../quote-word.ts';
import type { NewScript } from './new-script.ts';
import { sampleValue } from './sample-input.ts';

/** The command that runs a new script with its sample input. */
export function runLine({ id, name, input }: NewScript, folder: string, isNameTaken = false): string {
  const value = sampleValue(input, folder);
  // Use the id if the name is ambiguous or looks like an option.
  const word = isNameTaken || name.startsWith('-') ? id : quoteWord(name);
  return ['hob run', word, ...(value === null ? [] : [quoteWord(value)])].join(' ');
}
