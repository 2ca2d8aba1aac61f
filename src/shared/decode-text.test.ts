import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeFileText, decodeText, partToUtf8 } from './decode-text.ts';
import { textOf } from './json.ts';

/** 你好，世界 in GBK. */
const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0xa3, 0xac, 0xca, 0xc0, 0xbd, 0xe7]);
const replacement = '\uFFFD';

const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));

function decodePart(bytes: Uint8Array, cut: 'start' | 'end') {
  const { utf8, usedBytes } = partToUtf8(bytes, cut);
  return { text: textOf(utf8), usedBytes };
}

describe('bytes of unknown encoding', () => {
  it('are decoded as UTF-8 if they are valid UTF-8', () => {
    fc.assert(
      fc.property(fc.array(codePoint), (points) => {
        const text = String.fromCodePoint(...points);
        expect(decodeText(Buffer.from(text))).toBe(text);
      }),
    );
  });

  it('are decoded as GB18030 if they are valid GB18030 and not valid UTF-8', () => {
    expect(decodeText(gbk)).toBe('你好，世界');
    expect(decodeText(Buffer.concat([Buffer.from('ok: '), gbk, Buffer.from('\r\n')]))).toBe(
      'ok: 你好，世界\r\n',
    );
    // One character of four bytes, which GBK does not have.
    expect(decodeText(Buffer.from([0x82, 0x35, 0x8f, 0x33]))).toBe('\u9FA6');
  });

  it('are decoded as GB18030 in any amount, at any cut between pieces', () => {
    for (const start of ['', 'x']) {
      const bytes = Buffer.concat([Buffer.from(start), ...Array(60_000).fill(gbk)]);
      expect(decodeText(bytes) === start + '你好，世界'.repeat(60_000)).toBe(true);
    }
  });

  it('are decoded with replacement characters if they are neither', () => {
    const text = decodeText(Buffer.from([0x61, 0xff, 0xff, 0x62, 0x80]));
    expect(text).toContain(replacement);
    expect(text.startsWith('a')).toBe(true);
    expect(text).toContain('b');
  });

  it('keep a byte order mark, which may be part of the output', () => {
    expect(decodeText(Buffer.from('\uFEFFx'))).toBe('\uFEFFx');
  });

  it('never cause an error, and are decoded independently of earlier input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (bytes, before) => {
        const alone = decodeText(bytes);
        decodeText(before);
        expect(decodeText(bytes)).toBe(alone);
      }),
    );
  });
});

describe('a part of a text', () => {
  const text = '好a😀é世b界';
  const bytes = Buffer.from(text);

  it('ends at a whole character, at any cut', () => {
    for (let length = 0; length <= bytes.length; length++) {
      const part = decodePart(bytes.subarray(0, length), 'end');
      expect(text.startsWith(part.text)).toBe(true);
      expect(Buffer.byteLength(part.text)).toBe(part.usedBytes);
      expect(length - part.usedBytes).toBeLessThan(4);
    }
  });

  it('starts at a whole character, at any cut', () => {
    for (let start = 0; start <= bytes.length; start++) {
      const part = decodePart(bytes.subarray(start), 'start');
      expect(text.endsWith(part.text)).toBe(true);
      expect(Buffer.byteLength(part.text)).toBe(part.usedBytes);
      expect(bytes.length - start - part.usedBytes).toBeLessThan(4);
    }
  });

  it('is still decoded as GB18030 if it was cut inside a character', () => {
    const long = Buffer.concat([gbk, gbk]);
    expect(decodePart(long, 'end')).toEqual({ text: '你好，世界你好，世界', usedBytes: 20 });
    expect(decodePart(long.subarray(0, 19), 'end')).toEqual({ text: '你好，世界你好，世', usedBytes: 18 });
  });

  it('is decoded with replacement characters if it is not text', () => {
    const noise = Buffer.alloc(20, 0xff);
    expect(decodePart(noise, 'end')).toEqual({ text: replacement.repeat(20), usedBytes: 20 });
    expect(decodePart(noise, 'start').usedBytes).toBe(20);
  });
});

describe('the text of a file', () => {
  it('loses one byte order mark', () => {
    expect(decodeFileText(Buffer.from('\uFEFFx'))).toBe('x');
    expect(decodeFileText(Buffer.from('\uFEFF\uFEFFx'))).toBe('\uFEFFx');
    expect(decodeFileText(Buffer.from('x\uFEFF'))).toBe('x\uFEFF');
  });

  it('is decoded as UTF-16 if its mark says so, in either byte order', () => {
    const little = Buffer.from('\uFEFF{"a":"你😀"}', 'utf16le');
    expect(decodeFileText(little)).toBe('{"a":"你😀"}');
    expect(decodeFileText(Buffer.from(little).swap16())).toBe('{"a":"你😀"}');
  });

  it('is UTF-8 or GB18030 without a mark', () => {
    expect(decodeFileText(Buffer.from('你'))).toBe('你');
    expect(decodeFileText(gbk)).toBe('你好，世界');
  });

  it('may be empty, or only a mark', () => {
    expect(decodeFileText(Buffer.alloc(0))).toBe('');
    expect(decodeFileText(Buffer.from([0xff, 0xfe]))).toBe('');
    expect(decodeFileText(Buffer.from([0xef, 0xbb, 0xbf]))).toBe('');
    expect(decodeFileText(Buffer.from([0xff]))).toBe(replacement);
  });
});
