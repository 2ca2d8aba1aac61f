import { describe, expect, it } from 'vitest';

import { findVersion, parseVersionRange, satisfies } from './version-range.ts';

function fits(version: string, requirement: string): boolean {
  const range = parseVersionRange(requirement);
  if (range === null) throw new Error(`${requirement} is not a valid range`);
  return satisfies(version, range);
}

describe('a version requirement', () => {
  it.each([
    ['>=3.8', ['3.8.0', '3.8.10', '3.12.1', '4.0.0'], ['3.7.9', '2.7.18']],
    ['>= 3.8', ['3.8.0'], ['3.7.9']],
    ['>3.8', ['3.9.0'], ['3.7.0']],
    ['>=18 <23', ['18.0.0', '22.99.0'], ['17.9.9', '23.0.0']],
    ['>=3.8,<3.12', ['3.8.0', '3.11.7'], ['3.12.0', '3.7.0']],
    ['>=3.8, <3.12', ['3.11.7'], ['3.12.0']],
    ['3.12', ['3.12.0', '3.12.9'], ['3.11.9', '3.13.0']],
    ['3', ['3.0.0', '3.12.0'], ['2.7.0', '4.0.0']],
    ['3.12.1', ['3.12.1'], ['3.12.2']],
    ['==3.12.1', ['3.12.1'], ['3.12.2']],
    ['==3.8.*', ['3.8.0', '3.8.20'], ['3.9.0']],
    ['~=3.8', ['3.8.0', '3.12.0'], ['3.7.9', '4.0.0']],
    ['~=3.8.1', ['3.8.1', '3.8.9'], ['3.8.0', '3.9.0']],
    ['~3.8', ['3.8.5'], ['3.9.0']],
    ['^18', ['18.20.0'], ['19.0.0']],
    ['18 || 20', ['18.1.0', '20.1.0'], ['19.0.0']],
    ['>=3.8,!=3.9', ['3.8.0', '3.10.0'], ['3.9.0', '3.7.0']],
    ['*', ['1.0.0', '99.0.0'], []],
    ['v20', ['20.1.0'], ['21.0.0']],
  ])('%s accepts these versions and no others', (requirement, good, bad) => {
    for (const version of good) expect(fits(version, requirement), version).toBe(true);
    for (const version of bad) expect(fits(version, requirement), version).toBe(false);
  });

  it.each(['new enough', 'python3.8', '>=new', '3.8-ish or so', '>>3', '!=new', '>=3.8,'])(
    'is not valid as %j',
    (requirement) => {
      expect(parseVersionRange(requirement)).toBeNull();
    },
  );

  it('is satisfied by a version with fewer or more parts than usual', () => {
    expect(fits('3.12', '>=3.8')).toBe(true);
    expect(fits('5.2.15(1)-release', '>=5')).toBe(true);
    expect(fits('no version', '>=0')).toBe(false);
  });
});

describe('a version in the output of a program', () => {
  it.each([
    ['3.12.1', '3.12.1'],
    ['Python 3.8.10', '3.8.10'],
    ['v20.19.0', '20.19.0'],
    ['GNU bash, version 5.2.15(1)-release', '5.2.15'],
    ['ruby 3.1', '3.1'],
    ['none', null],
    ['', null],
    ['7', null],
  ])('of %j is %j', (text, version) => {
    expect(findVersion(text)).toBe(version);
  });
});
