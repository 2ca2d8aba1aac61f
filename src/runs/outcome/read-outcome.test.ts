import { describe, expect, it } from 'vitest';

import { jsonTextOf } from '../../shared/json.ts';
import { summarize } from './read-outcome.ts';

const messageOf = (msg: string) => summarize(0, jsonTextOf(msg)).message;

describe('the summary of an envelope', () => {
  it('has the code, and a short message unchanged', () => {
    expect(summarize(-7, jsonTextOf('完成 "ok"\n'))).toEqual({ code: -7, message: '完成 "ok"\n' });
    expect(messageOf('')).toBe('');
  });

  it('has the first thousand characters of a long message, in any notation', () => {
    for (const character of ['x', '缩', '\u0001', '"', '\\', '\ud800']) {
      for (const length of [999, 1000, 1001, 5000, 100_000])
        expect(messageOf(character.repeat(length))).toBe(
          character.repeat(Math.min(length, 1000)).replace(/\ud800$/, ''),
        );
    }
  });

  it('never ends with half a character or half an escape', () => {
    for (let before = 0; before < 14; before++) {
      expect(messageOf('x'.repeat(before) + '🙂'.repeat(4000))).toBe(
        'x'.repeat(before) + '🙂'.repeat(Math.floor((1000 - before) / 2)),
      );
      const escaped = Buffer.from(`"${'x'.repeat(before)}${'\\ud83d\\ude42'.repeat(4000)}"`);
      expect(summarize(0, escaped).message).toBe(
        'x'.repeat(before) + '🙂'.repeat(Math.floor((1000 - before) / 2)),
      );
    }
  });
});
