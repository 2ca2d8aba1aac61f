import { describe, expect, it } from 'vitest';

import { judge } from './claims.mjs';

const of = (figures, what) => judge(figures).find((claim) => claim.what.startsWith(what));

describe('a limit', () => {
  it('is met up to its bound and not beyond', () => {
    expect(of({ 'model path: p50': 1 }, 'model path')).toMatchObject({ measured: 1, isMet: true });
    expect(of({ 'accept: calls': 1000 }, 'asynchronous')).toMatchObject({ measured: 1000, isMet: true });
    expect(of({ 'accept: calls': 999 }, 'asynchronous')).toMatchObject({ measured: 999, isMet: false });
  });

  it('is compared with the value before rounding', () => {
    expect(of({ 'model path: p50': 1.001 }, 'model path')).toMatchObject({
      measured: 1,
      isMet: false,
    });
  });

  it('is neither met nor missed without a measurement', () => {
    expect(judge({}).map(({ measured, isMet }) => [measured, isMet])).toEqual(
      judge({}).map(() => [null, null]),
    );
  });
});
