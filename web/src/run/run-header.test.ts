import { expect, it } from 'vitest';

import { HobError } from '../api/hob.ts';
import { neededSecrets, secretValue } from './run-header.tsx';

const refusal = (code: string, fields: string[] = []) => new HobError('no', { code, status: 400, fields });

it('reads the names of missing secrets from an error', () => {
  expect(neededSecrets(refusal('secrets-needed', ['params.key', 'params.params.口令}']))).toEqual([
    'key',
    'params.口令}',
  ]);
  expect(neededSecrets(refusal('secrets-needed'))).toEqual([]);
  expect(neededSecrets(refusal('params-invalid', ['params.key']))).toEqual([]);
  expect(neededSecrets(new Error('away'))).toEqual([]);
});

it('converts a secret to the type of its parameter', () => {
  expect(secretValue('123', 'str')).toBe('123');
  expect(secretValue('123', 'int')).toBe(123);
  expect(secretValue('["a"]', 'list')).toEqual(['a']);
  expect(secretValue('abc', 'int')).toBe('abc');
});
