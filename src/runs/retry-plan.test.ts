import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { endCauses, origins, retryCauses } from '../contract/values.ts';
import { nextDelayMs, retriesFor } from './retry-plan.ts';

const retries = { attempts: 3, backoffMs: 10_000, factor: 2, on: ['exit', 'timeout'] } as const;
const failed = { cause: 'exit', isSuccess: false, couldNotStart: false } as const;

describe('nextDelayMs', () => {
  it('grows by the factor, and is null after the last attempt', () => {
    const delays = [1, 2, 3, 4].map((attempt) => nextDelayMs(retries, attempt, failed));
    expect(delays).toEqual([10_000, 20_000, null, null]);
    expect(nextDelayMs({ ...retries, factor: 1 }, 2, failed)).toBe(10_000);
    expect(nextDelayMs({ ...retries, backoffMs: 0 }, 1, failed)).toBe(0);
  });

  it('is at most a day', () => {
    const patient = { ...retries, attempts: 20, backoffMs: 3_600_000, factor: 10 };
    expect([1, 2, 3, 19].map((attempt) => nextDelayMs(patient, attempt, failed))).toEqual([
      3_600_000, 36_000_000, 86_400_000, 86_400_000,
    ]);
  });

  it('is null without retries and after a success', () => {
    expect(nextDelayMs(null, 1, failed)).toBeNull();
    expect(nextDelayMs(retries, 1, { ...failed, isSuccess: true })).toBeNull();
  });

  it.each(endCauses)('depends on the end cause: %s', (cause) => {
    const isListed = cause === 'exit' || cause === 'timeout';
    expect(nextDelayMs(retries, 1, { ...failed, cause })).toBe(isListed ? 10_000 : null);
    const mayBeListed = retryCauses.some((each) => each === cause);
    const all = { ...retries, on: [...retryCauses] };
    expect(nextDelayMs(all, 1, { ...failed, cause })).toBe(mayBeListed ? 10_000 : null);
  });

  it('does not depend on the end cause if a further attempt could not start', () => {
    const end = { cause: 'spawn-failed', isSuccess: false, couldNotStart: true } as const;
    expect(nextDelayMs(retries, 2, end)).toBe(20_000);
    expect(nextDelayMs(retries, 3, end)).toBeNull();
  });
});

describe('retriesFor', () => {
  const script = someScript();
  const withRetries = { ...script, runtime: { ...script.runtime, retries } };

  it.each(origins)('uses those of the manifest for the origin %s, except for links and builds', (origin) => {
    const isExcepted = origin === 'link' || origin === 'hob';
    expect(retriesFor(origin, withRetries, undefined)).toEqual(isExcepted ? null : retries);
    expect(retriesFor(origin, script, retries)).toEqual(isExcepted ? null : retries);
  });

  it('prefers those of the request, also if they are none', () => {
    expect(retriesFor('execute', withRetries, { ...retries, attempts: 9 })).toMatchObject({ attempts: 9 });
    expect(retriesFor('execute', withRetries, null)).toBeNull();
  });
});
