import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bodyText, titleText } from './bubble-text.ts';

describe('the text of a bubble', () => {
  it('is unchanged, including Chinese and emoji', () => {
    expect(bodyText('完成了 👍🏽 “ok”\n\tsecond line', false)).toBe('完成了 👍🏽 “ok”\n\tsecond line');
    expect(titleText('缩放图片 🖼')).toBe('缩放图片 🖼');
  });

  it('escapes markup only if the daemon interprets it', () => {
    const sent = '<b>bold</b> & "quotes" <a href=\'x\'>';
    expect(bodyText(sent, false)).toBe(sent);
    expect(bodyText(sent, true)).toBe('&lt;b&gt;bold&lt;/b&gt; &amp; "quotes" &lt;a href=\'x\'&gt;');
    expect(titleText(sent)).toBe(sent);
  });

  it('has no control characters; line breaks and tabs stay in the body and become spaces in the title', () => {
    expect(bodyText('a\0b\u0007c\u001b[31md\u0085e\r\nf\tg\u007fh', false)).toBe('abc[31mde\nf\tgh');
    expect(titleText(' a\nb\tc\0d\r\n ')).toBe('a b cd');
  });

  it('has U+FFFD in place of a lone surrogate', () => {
    expect(bodyText('a\ud83db', false)).toBe('a\ufffdb');
    expect(titleText('\udc4d')).toBe('\ufffd');
  });

  it('is empty if there is no message', () => {
    expect(bodyText(null, true)).toBe('');
    expect(bodyText('', true)).toBe('');
  });

  it('is truncated with an ellipsis, never inside a character', () => {
    const long = titleText('👍'.repeat(1000));
    expect([...long]).toHaveLength(200);
    expect(long.endsWith('👍…')).toBe(true);
    expect(titleText('x'.repeat(200))).toBe('x'.repeat(200));

    expect(bodyText('x'.repeat(4096), false)).toBe('x'.repeat(4096));
    expect(bodyText('x'.repeat(2_000_000), false)).toBe(`${'x'.repeat(4093)}…`);
    expect(bodyText('中'.repeat(1_000_000), false)).toBe(`${'中'.repeat(1364)}…`);
  });

  it('is well-formed and short for arbitrary input', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 9000, size: 'max' });
    fc.assert(
      fc.property(anything, (text) => {
        const body = bodyText(text, false);
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4096);
        expect(body).not.toMatch(/\p{Surrogate}/u);
        expect(body).not.toContain('\0');
        expect([...titleText(text)].length).toBeLessThanOrEqual(200);
      }),
    );
  });
});
