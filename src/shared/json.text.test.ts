import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { jsonLiteral, jsonTextOf } from './json.ts';

describe('the literal of a text', () => {
  it('equals the result of JSON.stringify for any content', () => {
    const everyAscii = String.fromCharCode(...Array(128).keys());
    const unit = fc.oneof(
      fc.constantFrom(...everyAscii),
      fc.constantFrom('好', 'é', '😀', '\u2028', '\uFEFF'),
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(String(jsonLiteral(Buffer.from(text)))).toBe(JSON.stringify(text));
      }),
    );
    expect(String(jsonLiteral(Buffer.from(everyAscii)))).toBe(JSON.stringify(everyAscii));
  });

  it.each([
    ['lines of text', 'x'.repeat(79).concat('\n')],
    ['characters of several bytes', '好é😀\n'],
    ['only escaped characters', '\u0000"\\'],
    ['escaped characters after many that are not', 'x'.repeat(200_000).concat('\u0000'.repeat(200_000))],
  ])('is the same for a large text: %s', (_, unit) => {
    for (const bytes of [256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]) {
      const text = unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)));
      expect(String(jsonLiteral(Buffer.from(text))) === JSON.stringify(text)).toBe(true);
      expect(String(jsonLiteral(Buffer.from(text), Buffer.from('"')))).toHaveLength(
        JSON.stringify(`${text}"`).length,
      );
    }
  });

  it('may consist of several texts, or of none', () => {
    expect(String(jsonLiteral(Buffer.from('a"'), Buffer.from('\n好')))).toBe(JSON.stringify('a"\n好'));
    expect(String(jsonLiteral())).toBe('""');
  });

  it('has separate memory that can be transferred', () => {
    for (const text of [jsonLiteral(Buffer.from('x')), jsonTextOf({ code: 0, msg: '好' })])
      expect(text.buffer.byteLength).toBe(text.byteLength);
  });
});
