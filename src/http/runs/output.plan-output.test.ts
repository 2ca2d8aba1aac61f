import { describe, expect, it } from 'vitest';

import type { OutputView } from '../../runs/output/run-outputs.ts';
import { parseRange, planOutput } from './output.ts';

const whole: OutputView = {
  isLive: false,
  endBytes: 100,
  segments: [{ offset: 0, length: 100, position: 0 }],
};
const live: OutputView = { ...whole, isLive: true };
const empty: OutputView = { isLive: false, endBytes: 0, segments: [] };
/** Bytes 10 to 89 are missing. */
const cut: OutputView = {
  isLive: false,
  endBytes: 100,
  segments: [
    { offset: 0, length: 10, position: 0 },
    { offset: 90, length: 10, position: 10 },
  ],
};
/** The disk was full after 10 bytes. */
const headOnly: OutputView = { ...cut, segments: cut.segments.slice(0, 1) };
const line = '\n[... 80 bytes left out by Hob ...]\n';
const endless = Number.POSITIVE_INFINITY;

function plan(view: OutputView, range: string | null, follow = false) {
  const answer = planOutput(view, parseRange(range ?? undefined, false), follow);
  if ('refusal' in answer) return { contentRange: answer.contentRange, says: answer.refusal.text.en };
  const { contentRange, contentLength, from, until } = answer;
  return { contentRange, contentLength, from, until };
}

describe('the answer without a range', () => {
  it.each([
    ['of an ended run', whole, false, { contentLength: 100, from: 0, until: 100 }],
    ['of an ended run that is followed', whole, true, { contentLength: 100, from: 0, until: endless }],
    ['of a live run', live, false, { contentLength: null, from: 0, until: 100 }],
    ['of a live run that is followed', live, true, { contentLength: null, from: 0, until: endless }],
    ['of nothing', empty, false, { contentLength: 0, from: 0, until: 0 }],
    ['with a gap', cut, false, { contentLength: 20 + line.length, from: 0, until: 100 }],
    [
      'without an end',
      headOnly,
      false,
      { contentLength: 10 + line.replace('80', '90').length, from: 0, until: 100 },
    ],
  ])('is the whole output: %s', (_what, view, follow, expected) => {
    expect(plan(view, null, follow)).toEqual({ contentRange: null, ...expected });
  });
});

describe('the answer to a range', () => {
  it.each([
    ['bytes=0-9', whole, 'bytes 0-9/100', 0, 10],
    ['bytes=90-', whole, 'bytes 90-99/100', 90, 100],
    ['bytes=90-1000', whole, 'bytes 90-99/100', 90, 100],
    ['bytes=-1', whole, 'bytes 99-99/100', 99, 100],
    ['bytes=-1000', whole, 'bytes 0-99/100', 0, 100],
    ['bytes=0-', live, 'bytes 0-99/*', 0, 100],
    ['bytes=5-50', cut, 'bytes 5-9/100', 5, 10],
    ['bytes=95-', cut, 'bytes 95-99/100', 95, 100],
    ['bytes=-5', cut, 'bytes 95-99/100', 95, 100],
    ['bytes=-50', cut, 'bytes 90-99/100', 90, 100],
    ['bytes=-1000', cut, 'bytes 90-99/100', 90, 100],
    ['bytes=3-', headOnly, 'bytes 3-9/100', 3, 10],
  ] as const)('is the stored part up to the next gap: %s', (range, view, contentRange, from, until) => {
    expect(plan(view, range)).toEqual({ contentRange, contentLength: until - from, from, until });
  });

  it.each([
    ['bytes=10-', whole, 'bytes 10-9007199254740991/*', 10, endless],
    ['bytes=100-', whole, 'bytes 100-9007199254740991/*', 100, endless],
    ['bytes=100-', live, 'bytes 100-9007199254740991/*', 100, endless],
    ['bytes=100-199', live, 'bytes 100-199/*', 100, 200],
    ['bytes=100-99999999999999999999', live, 'bytes 100-9007199254740991/*', 100, endless],
    ['bytes=-7', live, 'bytes 93-9007199254740991/*', 93, endless],
    ['bytes=-7', empty, 'bytes 0-9007199254740991/*', 0, endless],
    ['bytes=5-', cut, 'bytes 5-9007199254740991/*', 5, endless],
  ] as const)('has an open end when the output is followed: %s', (range, view, contentRange, from, until) => {
    expect(plan(view, range, true)).toEqual({ contentRange, contentLength: null, from, until });
  });

  it.each([
    ['bytes=100-', whole, false, 'Byte 100 does not exist. The script has written 100 bytes.'],
    ['bytes=101-', live, true, 'Byte 101 does not exist. The script has written 100 bytes so far.'],
    ['bytes=-0', whole, false, 'Byte 100 does not exist. The script has written 100 bytes.'],
    ['bytes=10-20', cut, false, 'Bytes 10 to 89 were not kept. The script has written 100 bytes.'],
    ['bytes=89-', cut, true, 'Bytes 10 to 89 were not kept. The script has written 100 bytes.'],
    ['bytes=-5', headOnly, false, 'Byte 100 does not exist. The script has written 100 bytes.'],
  ] as const)('says which bytes exist when none of the range do: %s', (range, view, follow, says) => {
    expect(plan(view, range, follow)).toEqual({ contentRange: 'bytes */100', says });
  });
});
