import type { Problem } from '../api/wire.ts';
import { placeNames } from './place-names.ts';
import { fold, wordsOf } from './search-words.ts';

/** The problems in whose file or message every word of a query occurs: who seeks a script that is missing finds out why it is. */
export function findProblems(problems: readonly Problem[], query: string): Problem[] {
  const words = wordsOf(query);
  if (words.length === 0) return [...problems];
  const placeOf = placeNames(problems.map(({ file }) => file));
  return problems.filter(({ file, message }) => {
    const text = fold(`${placeOf(file)}\n${message}`);
    return words.every((word) => text.includes(word));
  });
}
