import type { Outcome, Problem, Script } from '../api/wire.ts';

interface Sought {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** All other searchable text. */
  readonly rest: string;
}

/** The ways a word can match, the best first. */
const places: readonly ((sought: Sought, word: string) => boolean)[] = [
  ({ name }, word) => name.startsWith(word),
  ({ name }, word) => name.includes(word),
  ({ id, slug }, word) => id.startsWith(word) || slug.startsWith(word),
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

function soughtIn({ id, slug, name, desc, language }: Script, place: string): Sought {
  return { id, slug, name: fold(name), rest: fold(`${slug}\n${desc ?? ''}\n${language}\n${place}`) };
}

/** The rank of the worst match of all words. */
function rankOf(sought: Sought, words: readonly string[]): number {
  const ranks = words.map((word) => {
    const at = places.findIndex((isThere) => isThere(sought, word));
    return at < 0 ? places.length : at;
  });
  return Math.max(...ranks);
}

/** Maximum depth below the scripts folder: a group and the script. */
const deepest = 2;

/**
 * Returns a function that shortens a folder to its part below the common parent of all folders. A search should match the script, not the
 * location of the scripts folder.
 */
export function placeNames(folders: readonly string[]): (folder: string) => string {
  const [first = [], ...others] = folders.map((folder) => namesIn(folder).slice(0, -1));
  const ending = first.findIndex((name, at) => others.some((names) => names[at] !== name));
  const shared = ending < 0 ? first.length : ending;
  return (folder) => namesIn(folder).slice(shared).slice(-deepest).join('/');
}

function namesIn(path: string): string[] {
  return path.split(/[\\/]/);
}

/** The normalized words of a query. */
export function wordsOf(query: string): string[] {
  return fold(query).split(/\s+/).filter(Boolean);
}

/** Normalizes text for searching: ignores case, width and accents. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

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

interface Order {
  readonly favourites: ReadonlySet<string>;
  readonly lastRuns: ReadonlyMap<string, Outcome>;
  /** The language tag for comparing names. */
  readonly tag: string;
}

/** Sorts favourites first, then by last run, then by name with numeric comparison. */
export function inOrder(scripts: readonly Script[], { favourites, lastRuns, tag }: Order): Script[] {
  const names = new Intl.Collator(tag, { numeric: true });
  const timeOf = ({ id }: Script) => Date.parse(lastRuns.get(id)?.queued_at ?? '') || 0;
  return scripts.toSorted(
    (a, b) =>
      Number(favourites.has(b.id)) - Number(favourites.has(a.id)) ||
      timeOf(b) - timeOf(a) ||
      names.compare(a.name, b.name),
  );
}
