import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { terminals } from '../scripts/script.ts';
import { chooseWindow, placeOf } from './run-carrier.ts';

const asked = { sync: false, origin: 'execute', data: {} } as const;
const withData = { images: ['a.png'] };

describe('placeOf', () => {
  it.each([
    ['always', true, true],
    ['never', false, false],
    ['auto', false, true],
    ['inverse', true, false],
  ] as const)('with terminal = "%s": %s with data, %s without', (terminal, expectedWith, expectedWithout) => {
    for (const [origin, place] of [
      ['execute', 'window'],
      ['console', 'page'],
    ] as const) {
      expect(placeOf(terminal, { ...asked, origin, data: withData })).toBe(expectedWith ? place : 'nowhere');
      expect(placeOf(terminal, { ...asked, origin })).toBe(expectedWithout ? place : 'nowhere');
    }
  });

  it('is nowhere if the caller waits for the answer, or shows the run in its own terminal', () => {
    for (const terminal of terminals) {
      expect(placeOf(terminal, { ...asked, sync: true })).toBe('nowhere');
      expect(placeOf(terminal, { ...asked, sync: true, origin: 'console' })).toBe('nowhere');
      expect(placeOf(terminal, { ...asked, sync: true, origin: 'link', data: withData })).toBe('nowhere');
      expect(placeOf(terminal, { ...asked, origin: 'cli', data: withData })).toBe('nowhere');
    }
  });

  it.each([
    ['schedule', 'nowhere'],
    ['folder', 'nowhere'],
    ['webhook', 'nowhere'],
    ['mcp', 'nowhere'],
    ['menu', 'window'],
    ['shortcut', 'window'],
  ] as const)('of a run with the origin %s is: %s', (origin, place) => {
    expect(placeOf('always', { ...asked, origin, data: withData })).toBe(place);
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
  ])('treats %j as data: %s', (data, isData) => {
    expect(placeOf('inverse', { ...asked, data })).toBe(isData ? 'window' : 'nowhere');
  });
});

describe('chooseWindow', () => {
  const options = {
    environment: { DISPLAY: ':0' },
    language: 'zh',
    hold: 'failure',
    pageSize: () => ({ columns: 100, rows: 30 }),
  } as const;

  it('gives a window the name of the script and the commands that can open it', async () => {
    const commands = [['/usr/bin/xterm', '-e']];
    const findTerminals = async () => ({ kind: 'found', commands }) as const;
    expect(await chooseWindow(asked, someScript(), { ...options, findTerminals })).toEqual({
      window: { commands, env: { DISPLAY: ':0' }, title: someScript().name, language: 'zh', hold: 'failure' },
      windowless: null,
    });
  });

  it('gives a run from the console a terminal in its page, with or without a desktop', async () => {
    const findTerminals = () => Promise.reject(new Error('no window is needed'));
    const fromConsole = { ...asked, origin: 'console' } as const;
    const { window, windowless } = await chooseWindow(fromConsole, someScript(), {
      ...options,
      findTerminals,
    });
    expect(window).toMatchObject({ commands: [], hold: 'never', page: { columns: 100, rows: 30 } });
    expect(windowless).toBeNull();
  });

  it('gives the reason if there is no terminal, and searches for none if none is wanted', async () => {
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
