import { describe, expect, it } from 'vitest';

import { widthOf } from '../terminal/text-width.ts';
import type { Download } from './download.ts';
import { progressLine, progressSentence } from './progress-line.ts';

const download: Download = {
  id: '1',
  repoId: 'acme/tiny',
  state: 'running',
  bytesDone: 1_230_000_000,
  bytesTotal: 2_900_000_000,
  filesDone: 3,
  filesTotal: 12,
  bytesPerSecond: 38_100_000,
  secondsLeft: 43.8,
  startedAt: '2026-05-01T12:00:00.000Z',
  endedAt: null,
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
    const repoId = `${'a'.repeat(96)}/${'b'.repeat(96)}`;
    const steps = Array.from(
      { length: 101 },
      (_each, percent): Download => ({
        ...download,
        bytesDone: percent * 29_000_000,
        bytesPerSecond: percent === 0 ? null : 10 ** (percent % 10),
        secondsLeft: percent === 0 ? null : 100 - percent,
        filesDone: Math.floor(percent / 8.4),
      }),
    );
    for (let columns = 1; columns <= 200; columns++) {
      for (const each of [{ ...download, bytesTotal: null }, { ...download, repoId }, ...steps])
        expect(widthOf(progressLine(each, columns))).toBeLessThanOrEqual(columns);
    }
    const widths = new Set(steps.map((each) => widthOf(progressLine(each, 120))));
    expect([...widths]).toHaveLength(1);
  });

  it('shows that the files are being listed while the total is unknown', () => {
    expect(progressLine({ ...download, bytesTotal: null }, 80)).toBe('acme/tiny  listing files ...');
  });

  it('is full if there is nothing to download, and never more than full', () => {
    expect(progressLine({ ...download, bytesDone: 0, bytesTotal: 0 }, 30)).toBe(
      'acme/tiny  [============] 100%',
    );
    expect(progressLine({ ...download, bytesDone: 5, bytesTotal: 4 }, 30)).toBe(
      'acme/tiny  [============] 100%',
    );
  });
});

it('the progress sentence contains the same facts and omits unknown ones', () => {
  expect(progressSentence(download)).toBe(
    'acme/tiny: 42%, 1.2 GB of 2.9 GB, 38.1 MB/s, 0:44 left, 3/12 files',
  );
  expect(progressSentence({ ...download, bytesPerSecond: null, secondsLeft: null, filesTotal: null })).toBe(
    'acme/tiny: 42%, 1.2 GB of 2.9 GB',
  );
  expect(progressSentence({ ...download, bytesTotal: null })).toBe('acme/tiny: listing files');
});
