import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { OutputText } from './run-events.ts';

/** Passes bytes in pieces, split at these offsets, and returns all events. */
function decode(bytes: Uint8Array, cuts: readonly number[], start = 0) {
  const text = new OutputText(start);
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  const pieces = places
    .slice(1)
    .map((to, index) => ({ from: places[index] ?? 0, to }))
    .filter(({ from, to }) => to > from);
  const news = pieces.flatMap(({ from, to }) => [
    ...text.take({ offset: start + from, bytes: bytes.subarray(from, to) }),
  ]);
  return [...news, ...text.finish()];
}

const textOf = (news: ReturnType<typeof decode>) => news.map(({ fields }) => fields.text).join('');

describe('output as text', () => {
  it('is never split inside a character, however the bytes were split', () => {
    const whole = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(whole, fc.array(fc.nat(600), { maxLength: 20 }), fc.nat(1000), (text, cuts, start) => {
        const bytes = Buffer.from(text);
        const news = decode(
          bytes,
          cuts.filter((cut) => cut <= bytes.length),
          start,
        );
        expect(textOf(news)).toBe(text);
        expect(news.every(({ fields }) => fields.base64 === undefined)).toBe(true);
        expect(news.at(-1)?.until ?? start).toBe(start + bytes.length);
      }),
    );
  });

  it('includes the exact bytes if they are not UTF-8, and has offsets without gaps', () => {
    const cuts = fc.array(fc.nat(300), { maxLength: 10 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (bytes, places) => {
        const news = decode(
          bytes,
          places.filter((cut) => cut <= bytes.length),
        );
        let at = 0;
        const exact = news.map(({ until, fields }) => {
          expect(fields.offset).toBe(at);
          at = until;
          const { base64, text } = fields;
          return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : Buffer.from(String(text));
        });
        expect(Buffer.concat(exact).equals(bytes)).toBe(true);
      }),
    );
  });

  it('is decoded as GBK if the bytes are GBK', () => {
    const gbk = Buffer.from('c4e3bac3caC0BDE7'.toLowerCase(), 'hex');
    const news = decode(gbk, [3]);
    expect(textOf(news)).toBe('你好世界');
    expect(news.every(({ fields }) => typeof fields.base64 === 'string')).toBe(true);
  });

  it('has at most 64 KiB per event', () => {
    const news = decode(Buffer.from('好'.repeat(100_000)), []);
    expect(textOf(news)).toBe('好'.repeat(100_000));
    for (const { fields } of news) expect(fields.bytes).toBeLessThanOrEqual(64 * 1024);
  });

  it('reports a gap, and first emits the incomplete character before it', () => {
    const text = new OutputText(10);
    expect([...text.take({ offset: 10, bytes: Buffer.from('a你').subarray(0, 3) })]).toEqual([
      { until: 11, fields: { offset: 10, bytes: 1, text: 'a' } },
    ]);
    const [rest, gap] = [...text.take({ offset: 13, missing: 87 })];
    expect(rest).toMatchObject({ until: 13, fields: { offset: 11, bytes: 2, base64: '5L0=' } });
    expect(gap).toEqual({ until: 100, fields: { offset: 13, missing: 87 } });
    expect([...text.take({ offset: 100, bytes: Buffer.from('z') })]).toEqual([
      { until: 101, fields: { offset: 100, bytes: 1, text: 'z' } },
    ]);
  });
});
