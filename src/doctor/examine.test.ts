import { describe, expect, it } from 'vitest';

import { fixedText } from '../shared/text.ts';
import { judgeSpace } from './checks/check-home.ts';
import { createDoctorContext } from './doctor-context.ts';
import { examine } from './examine.ts';
import { ok, splitAdvice } from './finding.ts';

describe('an examination', () => {
  it('continues when a check fails or takes too long', async () => {
    const context = await createDoctorContext({ home: '/nowhere/at/all' });
    let isAborted = false;
    const findings = await examine(context, {
      withinMs: 20,
      checks: [
        { area: 'hob', subject: fixedText('a'), look: () => Promise.reject(new Error('no luck')) },
        {
          area: 'home',
          subject: fixedText('b'),
          look: (_context, signal) =>
            new Promise(() => {
              signal.addEventListener('abort', () => {
                isAborted = true;
              });
            }),
        },
        { area: 'tools', subject: fixedText('c'), look: async () => [ok(fixedText('fine'))] },
      ],
    });
    expect(findings.map(({ state, what }) => [state, what.en])).toEqual([
      ['problem', 'Failed to check a (no luck)'],
      ['note', 'The check of b took longer than 0.02 s and was aborted'],
      ['ok', 'fine'],
    ]);
    expect(findings.slice(0, 2).every(({ next }) => next !== null)).toBe(true);
    expect(isAborted).toBe(true);
  });
});

it.each([
  [2_000_000_000, 5, 'ok'],
  [1_000_000_000, 5, 'note'],
  [100_000_000, 5, 'problem'],
  [2_000_000_000, 0, 'problem'],
  [2_000_000_000, null, 'ok'],
] as const)('judges a disk with %d free bytes and %s free files as %s', (freeBytes, freeFiles, state) => {
  expect(judgeSpace({ freeBytes, freeFiles }, '/home').state).toBe(state);
});

it('splits a text into the problem and the advice', () => {
  const python = {
    en: 'It needs python 3.9 (/a/b). Install it: https://x.test/',
    zh: '需要 python 3.9（/a/b）。请安装：https://x.test/',
  };
  expect(splitAdvice(python)).toEqual({
    what: { en: 'It needs python 3.9 (/a/b)', zh: '需要 python 3.9（/a/b）' },
    next: { en: 'Install it: https://x.test/', zh: '请安装：https://x.test/' },
  });
  const comma = { en: 'It does not start. Create it again.', zh: '无法启动，请重新创建。' };
  expect(splitAdvice(comma)).toMatchObject({ what: { zh: '无法启动' }, next: { zh: '请重新创建。' } });
  const windows = { en: 'Runs on Windows only.', zh: '只能在 Windows 上运行。' };
  expect(splitAdvice(windows)).toEqual({ what: windows, next: null });
});
