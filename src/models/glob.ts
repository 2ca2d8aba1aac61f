/** One element of a pattern: any sequence of characters, any single character, or a set of characters. */
type Part = 'many' | 'one' | CharacterSet;

interface CharacterSet {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

type Matcher = (path: string) => boolean;

/**
 * Returns a function that selects files of a repo by patterns, with the rules of Python's libraries: `*` and `?` also match a slash,
 * `[a-z]` and `[!a-z]` match one character, a pattern that ends with a slash matches all files below it, and a backslash is a slash.
 * Matching is case-sensitive. Without patterns, all files match.
 */
export function compileGlobs(patterns: readonly string[]): Matcher {
  if (patterns.length === 0) return () => true;
  const matchers = patterns.map(compileGlob);
  return (path) => matchers.some((matches) => matches(path));
}

export function compileGlob(pattern: string): Matcher {
  const slashed = withSlashes(pattern);
  const parts = parse(slashed.endsWith('/') ? `${slashed}*` : slashed);
  return (path) => matchesAll(codesOf(withSlashes(path)), parts);
}

/**
 * Backtracks only to the last `many`: retrying an earlier one cannot help. So matching takes at most pattern length times path
 * length steps, even with many stars. A regular expression does not guarantee this.
 */
function matchesAll(codes: readonly number[], parts: readonly Part[]): boolean {
  let [at, part] = [0, 0];
  let retry: { at: number; part: number } | null = null;
  while (at < codes.length) {
    const code = codes[at] ?? 0;
    const current = parts[part];
    if (current === 'many') {
      part++;
      retry = { at, part };
    } else if (current !== undefined && matchesPart(current, code)) {
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

function matchesPart(part: 'one' | CharacterSet, code: number): boolean {
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

/** End of the set that begins at `start`, or -1. A bracket that is never closed is a literal bracket. */
function endOfSet(codes: readonly number[], start: number): number {
  const first = codes[start] === exclamationMark ? start + 1 : start;
  // A closing bracket in the first position is a member of the set.
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
