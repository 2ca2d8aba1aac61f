import { describe, expect, it } from 'vitest';
import type { Download } from '../../../contract/types.ts';

import { widthOf } from '../../terminal/text.ts';
import { displayOn, progressLine, progressSentence } from './progress.ts';

const download: Download = {
  download_id: '1',
  source: 'huggingface',
  revision: null,
  files: [],
  repo_id: 'acme/tiny',
  state: 'running',
  bytes_done: 1_230_000_000,
  bytes_total: 2_900_000_000,
  files_done: 3,
  files_total: 12,
  bytes_per_s: 38_100_000,
  seconds_left: 43.8,
  started_at: '2026-05-01T12:00:00.000Z',
  ended_at: null,
  folder: null,
  error: null,
};

describe('the progress line of a download', () => {
  it('has a bar, bytes, rate, time left and files', () => {
    expect(progressLine(download, 120)).toBe(
      'acme/tiny  [============>                 ]  42%   1.2 GB of 2.9 GB  38.1 MB/s   0:44 left   3/12 files',
    );
  });

  it('leaves parts out if there is less room', () => {
    expect(progressLine(download, 77)).toBe(
      'acme/tiny  [=======>         ]  42%   1.2 GB of 2.9 GB  38.1 MB/s   0:44 left',
    );
    expect(progressLine(download, 60)).toBe('acme/tiny  [====>      ]  42%   1.2 GB of 2.9 GB   0:44 left');
    expect(progressLine(download, 40)).toBe('acme/tiny  [====>     ]  42%   0:44 left');
    expect(progressLine(download, 30)).toBe('acme/tiny  [=====>      ]  42%');
    expect(progressLine(download, 20)).toBe('42% acme/tiny');
    expect(progressLine(download, 8)).toBe('42% a...');
  });

  it('never exceeds the given width, and keeps its width between updates', () => {
    const repo_id = `${'a'.repeat(96)}/${'b'.repeat(96)}`;
    const steps = Array.from(
      { length: 101 },
      (_each, percent): Download => ({
        ...download,
        bytes_done: percent * 29_000_000,
        bytes_per_s: percent === 0 ? null : 10 ** (percent % 10),
        seconds_left: percent === 0 ? null : 100 - percent,
        files_done: Math.floor(percent / 8.4),
      }),
    );
    for (let columns = 1; columns <= 200; columns++) {
      for (const each of [{ ...download, bytes_total: null }, { ...download, repo_id }, ...steps])
        expect(widthOf(progressLine(each, columns))).toBeLessThanOrEqual(columns);
    }
    const widths = new Set(steps.map((each) => widthOf(progressLine(each, 120))));
    expect([...widths]).toHaveLength(1);
  });

  it('shows that the files are being listed while the total is unknown', () => {
    expect(progressLine({ ...download, bytes_total: null }, 80)).toBe('acme/tiny  listing files ...');
  });

  it('is full if there is nothing to download, and never more than full', () => {
    expect(progressLine({ ...download, bytes_done: 0, bytes_total: 0 }, 30)).toBe(
      'acme/tiny  [============] 100%',
    );
    expect(progressLine({ ...download, bytes_done: 5, bytes_total: 4 }, 30)).toBe(
      'acme/tiny  [============] 100%',
    );
  });
});

it('the progress sentence contains the same facts and omits unknown ones', () => {
  expect(progressSentence(download)).toBe(
    'acme/tiny: 42%, 1.2 GB of 2.9 GB, 38.1 MB/s, 0:44 left, 3/12 files',
  );
  expect(progressSentence({ ...download, bytes_per_s: null, seconds_left: null, files_total: null })).toBe(
    'acme/tiny: 42%, 1.2 GB of 2.9 GB',
  );
  expect(progressSentence({ ...download, bytes_total: null })).toBe('acme/tiny: listing files');
});

const at = (percent: number, state: Download['state'] = 'running'): Download => ({
  ...download,
  state,
  bytes_done: percent,
  bytes_total: 100,
  files_total: null,
  bytes_per_s: null,
  seconds_left: null,
});

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
