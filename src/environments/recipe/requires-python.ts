import { parseVersionRange } from '../../scripts/runtimes/version-range.ts';

/**
 * Converts `requires-python` to the notation of the interpreter finder; null if it is not valid. Pre-release suffixes, as in `<4.0a0`,
 * are dropped, because they do not affect the choice of an interpreter.
 */
export function readRequiresPython(written: string): string | null {
  const parts = written
    .split(',')
    .map((part) => part.trim().replace(/(\d)\.?(?:a|b|rc|dev|post)\d*$/i, '$1'))
    .filter((part) => part !== '');
  const requirement = parts.join(',');
  return requirement === '' || parseVersionRange(requirement) === null ? null : requirement;
}

/** Combines both ranges. The first may have alternatives, as in `3.8 || 3.10`; the second is already converted. */
export function bothVersions(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second;
  const parts = second.split(',');
  const excluded = parts.filter((part) => part.startsWith('!='));
  const included = parts.filter((part) => !part.startsWith('!='));
  const alternatives = first.split('||').map((each) => [each.trim(), ...included].join(','));
  return [alternatives.join(' || '), ...excluded].join(',');
}
