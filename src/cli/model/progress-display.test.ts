import { describe, expect, it } from 'vitest';

import { type Download, readDownload } from './download.ts';
import { displayOn } from './progress-display.ts';

const at = (percent: number, state = 'running'): Download =>
  readDownload({ repo_id: 'acme/tiny', state, bytes_done: percent, bytes_total: 100 });

describe('on a terminal, progress', () => {
  it('is one line that is redrawn when it changes and removed at the end', () => {
    const written: string[] = [];
    const display = displayOn({ isTTY: true, columns: 33, write: (text) => written.push(text) }, () => 0);
    for (const percent of [1, 1, 2]) display.show(at(percent));
    display.clear();
    display.clear();
    expect(written).toEqual([
      '\racme/tiny  [>           ]   1%\u001b[K',
      '\racme/tiny  [>           ]   2%\u001b[K',
      '\r\u001b[K',
    ]);
  });

  it('follows the width of the window', () => {
    const written: string[] = [];
    const screen = { isTTY: true, columns: 33, write: (text: string) => written.push(text) };
    const display = displayOn(screen, () => 0);
    display.show(at(1));
    screen.columns = 20;
    display.show(at(1));
    expect(written[1]).toBe('\r1% acme/tiny\u001b[K');
  });
});

describe('without a terminal, progress', () => {
  it('is one line per 10 percent or per five seconds', () => {
    const written: string[] = [];
    let nowMs = 0;
    const display = displayOn({ write: (text) => written.push(text) }, () => nowMs);
    for (const [ms, percent] of [
      [0, 0],
      [250, 4],
      [500, 11],
      [750, 19],
      [5499, 19],
      [5500, 19],
      [6000, 45],
      [6250, 49],
      [6500, 50],
    ] as const) {
      nowMs = ms;
      display.show(at(percent));
    }
    display.show(at(100, 'done'));
    display.clear();
    expect(written.join('')).toBe(
      [0, 11, 19, 45, 50].map((percent) => `acme/tiny: ${percent}%, ${percent} B of 100 B\n`).join(''),
    );
  });
});
