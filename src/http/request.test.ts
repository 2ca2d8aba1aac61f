import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { preferredLanguage } from './request.ts';

describe('the preferred language', () => {
  it.each([undefined, '', ' ', '*', 'fr', 'fr-FR, de;q=0.8', ',,;', 'q=1', 'zhx', 'english'])(
    'is the fallback when %j names neither language',
    (header) => {
      expect(preferredLanguage(header, 'zh')).toBe('zh');
      expect(preferredLanguage(header, 'en')).toBe('en');
    },
  );

  it.each([
    ['en', 'en'],
    ['EN', 'en'],
    ['en-US', 'en'],
    ['zh', 'zh'],
    ['zh-CN', 'zh'],
    ['zh-Hant-TW', 'zh'],
    ['en-US,en;q=0.9,zh-CN;q=0.8,zh;q=0.7', 'en'],
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['zh;q=0.5,en;q=0.9', 'en'],
    ['en;q=0.1,zh;q=0.2', 'zh'],
    ['zh;q=0.5 , en ; q=0.9', 'en'],
    ['de,fr;q=0.9,en;q=0.1', 'en'],
    ['en;Q=0.2, zh;q=0.3', 'zh'],
  ] as const)('of %j is %s', (header, language) => {
    expect(preferredLanguage(header, language === 'en' ? 'zh' : 'en')).toBe(language);
  });

  it('is the first of two with equal weight', () => {
    expect(preferredLanguage('zh,en', 'en')).toBe('zh');
    expect(preferredLanguage('en;q=0.5,zh;q=0.5', 'zh')).toBe('en');
  });

  it('is never one with weight 0', () => {
    expect(preferredLanguage('en;q=0', 'zh')).toBe('zh');
    expect(preferredLanguage('en;q=0.0, zh;q=0.1', 'en')).toBe('zh');
  });

  it('is English or Chinese for arbitrary headers', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const header = Buffer.from(bytes).toString('latin1');
        expect(['en', 'zh']).toContain(preferredLanguage(header, 'zh'));
      }),
    );
  });
});
