import { describe, expect, it } from 'vitest';

import { readRetries, retriesUnderLock } from './retries.ts';

describe('readRetries', () => {
  it('completes the values with the defaults', () => {
    expect(readRetries({ attempts: 3 })).toEqual({
      kind: 'valid',
      retries: { attempts: 3, backoffMs: 10_000, factor: 2, on: ['exit', 'timeout'] },
    });
    expect(
      readRetries({ attempts: 20, backoff: '24h', factor: 1.5, on: ['lost', 'signal', 'lost'] }),
    ).toEqual({
      kind: 'valid',
      retries: { attempts: 20, backoffMs: 86_400_000, factor: 1.5, on: ['lost', 'signal'] },
    });
  });

  it.each([{}, { attempts: 1 }, { backoff: '5m' }])('returns null for one attempt: %j', (value) => {
    expect(readRetries(value)).toEqual({ kind: 'valid', retries: null });
  });

  it.each([
    [3, 'retries'],
    [null, 'retries'],
    [[], 'retries'],
    [{ attempts: 0 }, 'retries.attempts'],
    [{ attempts: 21 }, 'retries.attempts'],
    [{ attempts: 2.5 }, 'retries.attempts'],
    [{ attempts: '3' }, 'retries.attempts'],
    [{ attempts: 3, backoff: 10 }, 'retries.backoff'],
    [{ attempts: 3, backoff: 'soon' }, 'retries.backoff'],
    [{ attempts: 3, backoff: '25h' }, 'retries.backoff'],
    [{ attempts: 3, factor: 0.5 }, 'retries.factor'],
    [{ attempts: 3, factor: 11 }, 'retries.factor'],
    [{ attempts: 3, on: 'exit' }, 'retries.on'],
    [{ attempts: 3, on: ['cancelled'] }, 'retries.on'],
    [{ tries: 3 }, 'retries.tries'],
  ])('refuses %j and names %s', (value, field) => {
    expect(readRetries(value)).toMatchObject({ kind: 'invalid', field });
  });
});

it('a script with a lock is not tried again after a lost run', () => {
  const retries = { attempts: 2, backoffMs: 0, factor: 1, on: ['lost', 'exit'] } as const;
  expect(retriesUnderLock(retries, 'gpu')).toEqual({ ...retries, on: ['exit'] });
  expect(retriesUnderLock(retries, null)).toEqual(retries);
  expect(retriesUnderLock({ ...retries, on: ['lost'] }, 'gpu')).toBeNull();
});
