import type { Script } from '../api/wire.ts';
import { placeNames } from './place-names.ts';
import { fold, wordsOf } from './search-words.ts';

interface Sought {
  readonly id: string;
  readonly name: string;
  /** All other searchable text. */
  readonly rest: string;
}

/** The ways a word can match, the best first. */
const places: readonly ((sought: Sought, word: string) => boolean)[] = [
  ({ name }, word) => name.startsWith(word),
  ({ name }, word) => name.includes(word),
  ({ id }, word) => id.startsWith(word),
  ({ rest }, word) => rest.includes(word),
];

/** Finds scripts in which every word of the query occurs, matches in names first. Otherwise the order is kept. */
export function findScripts(scripts: readonly Script[], query: string): Script[] {
  const words = wordsOf(query);
  if (words.length === 0) return [...scripts];
  const placeOf = placeNames(scripts.map(({ folder }) => folder));
  return scripts
    .map((script) => ({ script, rank: rankOf(soughtIn(script, placeOf(script.folder)), words) }))
    .filter(({ rank }) => rank < places.length)
    .sort((a, b) => a.rank - b.rank)
    .map(({ script }) => script);
}

function soughtIn({ id, name, desc, language }: Script, place: string): Sought {
  return { id, name: fold(name), rest: fold(`${desc ?? ''}\n${language}\n${place}`) };
}

/** The rank of the worst match of all words. */
function rankOf(sought: Sought, words: readonly string[]): number {
  const ranks = words.map((word) => {
    const at = places.findIndex((isThere) => isThere(sought, word));
    return at < 0 ? places.length : at;
  });
  return Math.max(...ranks);
}
