import { join } from 'node:path';

import { assertNever } from '../../shared/assert-never.ts';
import { greeting } from './input-words.ts';
import type { InputKind, NewFile } from './new-script.ts';

/** The file with the sample input of a new script; null if the script has no input. */
export function sampleFile(input: InputKind): NewFile | null {
  const text = `${greeting}\n`;
  if (input === 'none') return null;
  return { path: input === 'folders' ? 'sample/hello.txt' : 'sample.txt', text };
}

/** The sample input value for a script in this folder; null if the script has no input. */
export function sampleValue(input: InputKind, folder: string): string | null {
  switch (input) {
    case 'files':
      return join(folder, 'sample.txt');
    case 'folders':
      return join(folder, 'sample');
    case 'text':
      return greeting;
    case 'none':
      return null;
    default:
      return assertNever(input);
  }
}
