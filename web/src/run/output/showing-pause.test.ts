import { describe, expect, it } from 'vitest';

import { showingPause } from './showing-pause.ts';

describe('the pause before a page shows what has come', () => {
  it('is none when nothing was shown for a while', () => {
    expect(showingPause({ sinceMs: 50, showingMs: 1 })).toBe(0);
    expect(showingPause({ sinceMs: 10_000, showingMs: 2000 })).toBe(0);
  });

  it('lets the page be shown at most twenty times a second', () => {
    expect(showingPause({ sinceMs: 5, showingMs: 1 })).toBe(45);
  });

  it('leaves a page that takes long two thirds of its time for everything else', () => {
    expect(showingPause({ sinceMs: 100, showingMs: 100 })).toBe(200);
  });

  it('is never longer than a second, however long the machine was busy elsewhere', () => {
    expect(showingPause({ sinceMs: 0, showingMs: 5000 })).toBe(1000);
  });
});
