import { describe, expect, it } from 'vitest';
import { InstallBody, NothingBody } from '../contract/packages.ts';
import { refuseUnknown } from './fields.ts';
import { readPackageFields } from './packages.ts';

describe('the fields of a package request', () => {
  it('are read unchanged', () => {
    const given = { source: '/脚本 🎁', ref: 'v1', path: 'a/b', prepare: false };
    expect(readPackageFields(given, InstallBody)).toEqual(given);
    const none = { source: null, ref: null, path: null, prepare: true };
    expect(readPackageFields({}, InstallBody)).toEqual(none);
    expect(readPackageFields({ source: null, ref: null, path: null, prepare: null }, InstallBody)).toEqual(
      none,
    );
  });

  it.each([
    { source: '' },
    { source: 7 },
    { source: ['/a'] },
    { source: '/a\0b' },
    { source: '/a\nb' },
    { source: 'x'.repeat(5000) },
    { source: '\ud800' },
    { ref: '' },
    { path: {} },
    { prepare: 'no' },
    { prepare: 0 },
    { Source: '/a' },
  ])('are refused when they are invalid: %j', (fields) => {
    expect(() => readPackageFields(fields, InstallBody)).toThrow(
      expect.objectContaining({ code: 'field-invalid' }),
    );
  });

  it('are refused for requests that have no fields', () => {
    refuseUnknown({}, NothingBody);
    expect(() => refuseUnknown({ prepare: false }, NothingBody)).toThrow(
      'Unknown field "prepare". This request has no fields',
    );
  });
});
