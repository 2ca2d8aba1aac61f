import type { Problem } from '../api/wire.ts';
import { placeNames } from './place-names.ts';
import { fold, wordsOf } from './search-words.ts';

/** Finds problems in whose file or message every word of the query occurs, so that a search for a broken script shows what is wrong. */
export function findProblems(problems: readonly Problem[], query: string): Problem[] {
  const words = wordsOf(query);
  if (words.length === 0) return [...problems];
  const placeOf = placeNames(problems.map(({ file }) => splitPath(file).folder));
  return problems.filter(({ file, message }) => {
    const { folder, name } = splitPath(file);
    const text = fold(`${placeOf(folder)}\n${name}\n${message}`);
    return words.every((word) => text.includes(word));
  });
}

function splitPath(file: string): { folder: string; name: string } {
  const at = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'));
  return { folder: file.slice(0, Math.max(0, at)), name: file.slice(at + 1) };
}
