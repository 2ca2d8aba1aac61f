import { describe, expect, it } from 'vitest';

import { showingPause } from './run-stream.ts';

describe('showingPause', () => {
  it('is zero if the last update was long ago', () => {
    expect(showingPause({ sinceMs: 50, showingMs: 1 })).toBe(0);
    expect(showingPause({ sinceMs: 10_000, showingMs: 2000 })).toBe(0);
  });

  it('allows at most twenty updates a second', () => {
    expect(showingPause({ sinceMs: 5, showingMs: 1 })).toBe(45);
  });

  it('leaves a slow page two thirds of its time for other work', () => {
    expect(showingPause({ sinceMs: 100, showingMs: 100 })).toBe(200);
  });

  it('is never longer than a second', () => {
    expect(showingPause({ sinceMs: 0, showingMs: 5000 })).toBe(1000);
  });
});
