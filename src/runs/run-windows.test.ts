import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { terminals } from '../scripts/script.ts';
import { chooseWindow, wantsWindow } from './run-windows.ts';

const asked = { sync: false, origin: 'execute', data: {} } as const;
const withData = { images: ['a.png'] };

describe('wantsWindow', () => {
  it.each([
    ['always', true, true],
    ['never', false, false],
    ['auto', false, true],
    ['inverse', true, false],
  ] as const)('with terminal = "%s": %s with data, %s without', (terminal, expectedWith, expectedWithout) => {
    expect(wantsWindow(terminal, { ...asked, data: withData })).toBe(expectedWith);
    expect(wantsWindow(terminal, asked)).toBe(expectedWithout);
  });

  it('wants none where somebody waits for the answer, or looks at the run in the console or in a terminal', () => {
    for (const terminal of terminals) {
      expect(wantsWindow(terminal, { ...asked, sync: true })).toBe(false);
      expect(wantsWindow(terminal, { ...asked, sync: true, origin: 'link', data: withData })).toBe(false);
      expect(wantsWindow(terminal, { ...asked, origin: 'console', data: withData })).toBe(false);
      expect(wantsWindow(terminal, { ...asked, origin: 'cli', data: withData })).toBe(false);
    }
  });

  it.each([
    [{}, false],
    [[], false],
    [null, false],
    ['', false],
    [{ images: [] }, false],
    [{ images: [''] }, true],
    [{ images: ['a'] }, true],
    [['a'], true],
    [{ n: 0 }, true],
  ])('takes %j as data: %s', (data, isData) => {
    expect(wantsWindow('inverse', { ...asked, data })).toBe(isData);
  });
});

describe('chooseWindow', () => {
  const options = { environment: { DISPLAY: ':0' }, language: 'zh', hold: 'failure' } as const;

  it('gives a window the name of the script and what can open it', async () => {
    const commands = [['/usr/bin/xterm', '-e']];
    const findTerminals = async () => ({ kind: 'found', commands }) as const;
    expect(await chooseWindow(asked, someScript(), { ...options, findTerminals })).toEqual({
      window: { commands, env: { DISPLAY: ':0' }, title: someScript().name, language: 'zh', hold: 'failure' },
      windowless: null,
    });
  });

  it('says why there is none, and looks for none where none is wanted', async () => {
    let searches = 0;
    const message = { en: 'there is no display', zh: '没有显示器' };
    const findTerminals = async () => {
      searches++;
      return { kind: 'none', message } as const;
    };
    const whenWanted = await chooseWindow(asked, someScript(), { ...options, findTerminals });
    expect(whenWanted).toEqual({ window: null, windowless: message });
    const whenNot = await chooseWindow({ ...asked, sync: true }, someScript(), { ...options, findTerminals });
    expect(whenNot).toEqual({ window: null, windowless: null });
    expect(searches).toBe(1);
  });
});
