import { parseVersionRange } from '../../scripts/runtimes/version-range.ts';

/**
 * Python's `requires-python` in the notation of the finder of interpreters; null when it makes no sense. Signs of early versions,
 * as in `<4.0a0`, are left out: no interpreter is chosen by them.
 */
export function readRequiresPython(written: string): string | null {
  const parts = written
    .split(',')
    .map((part) => part.trim().replace(/(\d)\.?(?:a|b|rc|dev|post)\d*$/i, '$1'))
    .filter((part) => part !== '');
  const requirement = parts.join(',');
  return requirement === '' || parseVersionRange(requirement) === null ? null : requirement;
}

/** What satisfies both. The first may name alternatives, as in `3.8 || 3.10`; the second has gone through the above. */
export function bothVersions(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second;
  const parts = second.split(',');
  const excluded = parts.filter((part) => part.startsWith('!='));
  const included = parts.filter((part) => !part.startsWith('!='));
  const alternatives = first.split('||').map((each) => [each.trim(), ...included].join(','));
  return [alternatives.join(' || '), ...excluded].join(',');
}
