import { quoteWord } from '../quote-word.ts';
import type { NewScript } from './new-script.ts';
import { sampleValue } from './sample-input.ts';

/** The command that runs a new script in this folder on what it can be tried with. */
export function runLine({ name, input }: NewScript, folder: string): string {
  const value = sampleValue(input, folder);
  return ['hob run', quoteWord(name), ...(value === null ? [] : [quoteWord(value)])].join(' ');
}
