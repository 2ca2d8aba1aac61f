import { describe, expect, it } from 'vitest';

import { isStillNews } from './toasts.tsx';

const at = '2026-05-01T12:00:00.000Z';
const sentMs = Date.parse(at);

describe('a notification in an event', () => {
  it('is shown for its duration, and for at least half a minute', () => {
    expect(isStillNews({ at, duration: 100 }, sentMs + 20_000)).toBe(true);
    expect(isStillNews({ at, duration: 100 }, sentMs + 40_000)).toBe(false);
    expect(isStillNews({ at, duration: 60_000 }, sentMs + 40_000)).toBe(true);
  });

  it('without a duration is shown at any time', () => {
    expect(isStillNews({ at, duration: 0 }, sentMs + 86_400_000)).toBe(true);
  });
});
