import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeRingState, encodeRingState, type RingState } from './ring-state.ts';

const states: fc.Arbitrary<RingState> = fc
  .record({
    phase: fc.constantFrom('ring' as const, 'ordering' as const, 'ordered' as const),
    headBytes: fc.nat(2 ** 30),
    tailBytes: fc.integer({ min: 1, max: 2 ** 30 }),
    past: fc.nat({ max: 2 ** 50 }),
    ahead: fc.nat(2 ** 20),
  })
  .map(({ phase, headBytes, tailBytes, past, ahead }) => {
    const done = headBytes + tailBytes + past;
    return { phase, headBytes, tailBytes, done, until: done + ahead };
  });

describe('the state of a ring', () => {
  it('is decoded as it was encoded', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(decodeRingState(encodeRingState(state))).toEqual(state);
      }),
    );
  });

  it('is never decoded from a mixture of two writes', () => {
    fc.assert(
      fc.property(states, states, fc.nat(44), (before, after, cut) => {
        const [old, fresh] = [encodeRingState(before), encodeRingState(after)];
        const torn = Buffer.concat([fresh.subarray(0, cut), old.subarray(cut)]);
        const read = decodeRingState(torn);
        if (torn.equals(old)) expect(read).toEqual(before);
        else if (torn.equals(fresh)) expect(read).toEqual(after);
        else expect(read).toBeNull();
      }),
    );
  });

  it('is not decoded from bytes that are too short, all zero or changed in one bit', () => {
    const bytes = encodeRingState({ phase: 'ring', headBytes: 5, tailBytes: 5, done: 11, until: 12 });
    expect(decodeRingState(Buffer.alloc(0))).toBeNull();
    expect(decodeRingState(bytes.subarray(0, 43))).toBeNull();
    expect(decodeRingState(Buffer.alloc(44))).toBeNull();
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(decodeRingState(changed)).toBeNull();
    }
  });

  it.each([
    { headBytes: -1 },
    { headBytes: 0.5 },
    { tailBytes: 0 },
    { done: 9 },
    { done: 13 },
    { until: Number.POSITIVE_INFINITY },
    { done: Number.NaN },
  ])('is rejected when it is impossible: %j', (wrong) => {
    const state = { phase: 'ring', headBytes: 5, tailBytes: 5, done: 11, until: 12, ...wrong } as const;
    expect(decodeRingState(encodeRingState(state))).toBeNull();
  });
});
