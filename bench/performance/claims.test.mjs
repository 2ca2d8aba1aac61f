import { describe, expect, it } from 'vitest';

import { Samples } from '../support/samples.mjs';
import { judge } from './claims.mjs';
import { startFigures } from './sizes.mjs';

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

describe('the limits of start-up', () => {
  const samplesOf = (times) => {
    const samples = new Samples();
    samples.addAll(times);
    return samples;
  };
  /** The judged limits for these times until the service listens. A Node process takes 40 ms. */
  const judged = (fewMs, manyMs) => {
    const figures = startFigures({
      bare: samplesOf([400, 40, 39]),
      few: samplesOf([fewMs, 1, 5000]),
      many: samplesOf([manyMs, 1, 5000]),
    });
    return judge(figures).filter(({ what }) => what.startsWith('start until'));
  };

  it('are 5 times the median of node -e 0 with one script, and 1.5 s with 2,000', () => {
    expect(judged(200, 1500)).toMatchObject([
      { measured: 5, isMet: true },
      { measured: 1500, isMet: true },
    ]);
    expect(judged(202, 1501)).toMatchObject([
      { measured: 5.05, isMet: false },
      { measured: 1501, isMet: false },
    ]);
  });
});
