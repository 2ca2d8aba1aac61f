/** One place of a pattern: any run of characters, any one, or one of a set. */
type Part = 'many' | 'one' | CharacterSet;

interface CharacterSet {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

type Matcher = (path: string) => boolean;

/**
 * Tells which files of a repo are wanted, by patterns as Python's libraries read them: `*` and `?` stand for a slash, too, `[a-z]` and
 * `[!a-z]` for one character, what ends with a slash means everything below it, and a backslash is a slash. Capitals count. No pattern at
 * all is every file.
 */
export function compileGlobs(patterns: readonly string[]): Matcher {
  if (patterns.length === 0) return () => true;
  const matchers = patterns.map(compileGlob);
  return (path) => matchers.some((matches) => matches(path));
}

export function compileGlob(pattern: string): Matcher {
  const slashed = withSlashes(pattern);
  const parts = parse(slashed.endsWith('/') ? `${slashed}*` : slashed);
  return (path) => fits(codesOf(withSlashes(path)), parts);
}

/**
 * Only the last `many` is ever tried again: an earlier one could take no more than it did. So a pattern full of stars costs no more
 * than its length times that of the path, which a regular expression does not promise.
 */
function fits(codes: readonly number[], parts: readonly Part[]): boolean {
  let [at, part] = [0, 0];
  let retry: { at: number; part: number } | null = null;
  while (at < codes.length) {
    const code = codes[at] ?? 0;
    const current = parts[part];
    if (current === 'many') {
      part++;
      retry = { at, part };
    } else if (current !== undefined && takes(current, code)) {
      at++;
      part++;
    } else if (retry !== null) {
      retry.at++;
      ({ at, part } = retry);
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === 'many');
}

function takes(part: 'one' | CharacterSet, code: number): boolean {
  if (part === 'one') return true;
  return part.ranges.some(([from, to]) => code >= from && code <= to) !== part.isNegated;
}

function parse(pattern: string): Part[] {
  const codes = codesOf(pattern);
  const parts: Part[] = [];
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    const end = code === openBracket ? endOfSet(codes, at + 1) : -1;
    if (end !== -1) {
      parts.push(parseSet(codes.slice(at + 1, end)));
      at = end;
    } else if (code === star) {
      if (parts.at(-1) !== 'many') parts.push('many');
    } else {
      parts.push(code === questionMark ? 'one' : { isNegated: false, ranges: [[code, code]] });
    }
  }
  return parts;
}

/** Where the set ends that begins at `start`, or -1: a bracket that nothing closes is just a bracket. */
function endOfSet(codes: readonly number[], start: number): number {
  const first = codes[start] === exclamationMark ? start + 1 : start;
  // In the first place a closing bracket is one of the set.
  return codes.indexOf(closeBracket, first + 1);
}

function parseSet(codes: readonly number[]): CharacterSet {
  const isNegated = codes[0] === exclamationMark;
  const ranges: [number, number][] = [];
  for (let at = isNegated ? 1 : 0; at < codes.length; at++) {
    const from = codes[at] ?? 0;
    const to = codes[at + 1] === hyphen ? codes[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return { isNegated, ranges };
}

const codeOf = (character: string) => character.codePointAt(0) ?? 0;
const withSlashes = (path: string) => path.replaceAll('\\', '/');
const codesOf = (text: string) => Array.from(text, codeOf);

const star = codeOf('*');
const questionMark = codeOf('?');
const openBracket = codeOf('[');
const closeBracket = codeOf(']');
const exclamationMark = codeOf('!');
const hyphen = codeOf('-');
