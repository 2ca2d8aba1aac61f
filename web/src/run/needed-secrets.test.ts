import { expect, it } from 'vitest';

import { RefusedError } from '../api/call-service.ts';
import { neededSecrets, secretValue } from './needed-secrets.ts';

const refusal = (code: string, hint: string) =>
  new RefusedError(400, { status: 'error', code, message: 'no', hint });

it('reads from a refusal which secrets are needed', () => {
  expect(neededSecrets(refusal('secrets-needed', 'Send {"params":{"key":"…","口令":"…"}}'))).toEqual([
    'key',
    '口令',
  ]);
  expect(neededSecrets(refusal('secrets-needed', '请发送 {"params":{"key":"…"}}'))).toEqual(['key']);
  expect(neededSecrets(refusal('secrets-needed', ''))).toEqual([]);
  expect(neededSecrets(refusal('params-invalid', 'Send {"params":{"key":"…"}}'))).toEqual([]);
  expect(neededSecrets(new Error('away'))).toEqual([]);
});

it('takes a secret for what its type says', () => {
  expect(secretValue('123', 'str')).toBe('123');
  expect(secretValue('123', 'int')).toBe(123);
  expect(secretValue('["a"]', 'list')).toEqual(['a']);
  expect(secretValue('abc', 'int')).toBe('abc');
});
