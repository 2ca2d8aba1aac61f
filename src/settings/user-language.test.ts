import { describe, expect, it } from 'vitest';

import { userLanguage } from './user-language.ts';

describe('the language of the desktop user', () => {
  it.each([
    [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
    [{ LANG: 'zh_TW' }, 'zh'],
    [{ LANG: 'en_GB.UTF-8', LC_MESSAGES: 'zh_CN.UTF-8' }, 'zh'],
    [{ LANG: 'zh_CN.UTF-8', LC_MESSAGES: 'de_DE.UTF-8' }, 'en'],
    [{ LANG: 'zh_CN.UTF-8', LC_MESSAGES: 'zh_CN.UTF-8', LC_ALL: 'C' }, 'en'],
    [{ LANG: 'zh_CN.UTF-8', LC_MESSAGES: '', LC_ALL: '' }, 'zh'],
    [{ LANG: 'C.UTF-8' }, 'en'],
    [{}, 'en'],
  ])('is determined by %j', (env, language) => {
    expect(userLanguage(env, () => 'en-US')).toBe(language);
  });

  it('is that of the system if no variable is set, as on Windows', () => {
    expect(userLanguage({}, () => 'zh-Hans-CN')).toBe('zh');
    expect(userLanguage({ LANG: 'en_GB.UTF-8' }, () => 'zh-Hans-CN')).toBe('en');
  });
});
