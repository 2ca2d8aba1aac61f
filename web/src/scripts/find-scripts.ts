import type { Script } from '../api/wire.ts';

/** Earlier is better; what is in none of these places was not found. */
const places: readonly ((script: Script, word: string) => boolean)[] = [
  ({ name }, word) => fold(name).startsWith(word),
  ({ name }, word) => fold(name).includes(word),
  ({ id }, word) => id.startsWith(word),
  ({ desc, language, folder }, word) => fold(`${desc ?? ''}\n${language}\n${folder}`).includes(word),
];

/** The scripts in which every word of a query occurs, those whose names have them first. Their order is kept otherwise. */
export function findScripts(scripts: readonly Script[], query: string): Script[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return scripts
    .map((script) => ({ script, rank: rankOf(script, words) }))
    .filter(({ rank }) => rank < places.length)
    .sort((a, b) => a.rank - b.rank)
    .map(({ script }) => script);
}

/** The worst place of all the words. */
function rankOf(script: Script, words: readonly string[]): number {
  const ranks = words.map((word) => {
    const at = places.findIndex((isThere) => isThere(script, word));
    return at < 0 ? places.length : at;
  });
  return Math.max(0, ...ranks);
}

/** Upper and lower case, full and half width, and accents are all the same to who searches. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}
