import semver from 'semver';

/** Accepted versions: those in the range, except the excluded ones. */
export interface VersionRange {
  readonly range: string;
  readonly excluded: readonly string[];
}

/** Parses a requirement such as `>=3.8`, in npm or Python notation; null if it is not valid. */
export function parseVersionRange(requirement: string): VersionRange | null {
  const parts = requirement.split(',').map((part) => part.trim());
  const excluded = parts
    .filter((part) => part.startsWith('!='))
    .map((part) => semver.validRange(part.slice(2)));
  const included = parts.filter((part) => !part.startsWith('!=')).map(inNpmNotation);
  const range = semver.validRange(included.join(' '));
  const isClear = range !== null && excluded.every((version) => version !== null) && !parts.includes('');
  return isClear ? { range, excluded: excluded.filter((version) => version !== null) } : null;
}

function inNpmNotation(part: string): string {
  // Python's `~=3.8` allows 3.9, its `~=3.8.1` does not.
  const compatible = /^~=\s*(.+)$/.exec(part)?.[1];
  if (compatible !== undefined) return `${compatible.split('.').length > 2 ? '~' : '^'}${compatible}`;
  return part.replace(/^={2,3}\s*/, '');
}

export function satisfies(version: string, { range, excluded }: VersionRange): boolean {
  const parsed = semver.coerce(version);
  if (parsed === null || !semver.satisfies(parsed, range)) return false;
  return !excluded.some((versions) => semver.satisfies(parsed, versions));
}

/** The first text in the output of a program that looks like a version. */
export function findVersion(text: string): string | null {
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0] ?? null;
}
