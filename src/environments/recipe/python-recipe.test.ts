import { describe, expect, it } from 'vitest';

import { parseVersionRange, satisfies } from '../../scripts/runtimes/version-range.ts';
import { bothVersions, readRequiresPython } from './python-recipe.ts';

function fits(version: string, requirement: string | null): boolean {
  const range = requirement === null ? null : parseVersionRange(requirement);
  if (range === null) throw new Error(`${requirement} is not a valid range`);
  return satisfies(version, range);
}

describe('requires-python', () => {
  it.each([
    ['>=3.9,<4', ['3.9.0', '3.12.1'], ['3.8.9', '4.0.0']],
    ['>=3.9, <4.0a0', ['3.9.0', '3.13.0'], ['4.0.0']],
    ['~=3.10', ['3.10.0', '3.12.0'], ['3.9.9', '4.0.0']],
    ['~=3.10.2', ['3.10.2', '3.10.9'], ['3.10.1', '3.11.0']],
    ['==3.11.*', ['3.11.0', '3.11.9'], ['3.12.0']],
    ['>=3.8,!=3.9.*', ['3.8.1', '3.10.0'], ['3.9.7']],
    ['>=3.8,', ['3.8.1'], ['3.7.0']],
    ['>=3.13rc1', ['3.13.0'], ['3.12.0']],
  ])('%s matches exactly its versions', (written, good, bad) => {
    const requirement = readRequiresPython(written);
    for (const version of good) expect(fits(version, requirement), version).toBe(true);
    for (const version of bad) expect(fits(version, requirement), version).toBe(false);
  });

  it.each(['', ',', 'new', 'python>3', '>>3'])('is invalid as %j', (written) => {
    expect(readRequiresPython(written)).toBeNull();
  });

  it('restricts each alternative of the range in the manifest', () => {
    expect(bothVersions(null, null)).toBeNull();
    expect(bothVersions('>=3.8', null)).toBe('>=3.8');
    expect(bothVersions(null, '>=3.8')).toBe('>=3.8');
    const both = bothVersions('3.8 || 3.10 || 3.11', '>=3.9,!=3.10.4');
    expect(['3.10.1', '3.11.9'].map((version) => fits(version, both))).toEqual([true, true]);
    expect(['3.8.1', '3.9.1', '3.10.4'].map((version) => fits(version, both))).toEqual([false, false, false]);
  });
});
