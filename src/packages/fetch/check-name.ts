import type { Text } from '../../shared/text.ts';
import { unsafe } from './package-errors.ts';
import { showName } from './show-name.ts';

/** Device names of Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

/** Control characters, and characters that change the display order. */
const disguise = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Returns the problem of one name in a path, or null. */
export function nameFault(name: string): Text | null {
  if (name === '' || name === '.' || name === '..') {
    return { en: 'leads to another folder', zh: '指向其他文件夹' };
  }
  if (disguise.test(name)) {
    return { en: 'has control characters in its name', zh: '名称含有控制字符' };
  }
  if (name.includes('\ufffd')) {
    return { en: 'has a name in an unknown encoding', zh: '名称的编码无法识别' };
  }
  if (name.includes(':')) {
    return {
      en: 'has a colon in its name, which has a special meaning on Windows',
      zh: '名称含有冒号，在 Windows 上有特殊含义',
    };
  }
  if (deviceName.test(name)) {
    return { en: 'has the name of a Windows device', zh: '名称是 Windows 的设备名' };
  }
  if (/[. ]$/.test(name)) {
    return {
      en: 'has a name that ends with a dot or a space, which Windows removes',
      zh: '名称以点或空格结尾，会被 Windows 去掉',
    };
  }
  return null;
}

/**
 * Splits a path inside a package into names, or throws. A backslash also separates, because some Windows programs write it, and a
 * path that leads out of the package on one system must not pass on another. A trailing slash is dropped.
 */
export function splitPath(path: string): string[] {
  const slashed = path.replaceAll('\\', '/');
  if (slashed.startsWith('/') || /^[a-zA-Z]:/.test(slashed)) {
    throw unsafe({
      en: `The entry ${showName(path)} has an absolute path, so it would be written outside the package`,
      zh: `条目 ${showName(path)} 使用绝对路径，会写到包外`,
    });
  }
  // Some programs write `./a//b/.` for a/b.
  const names = slashed.split('/').filter((name) => name !== '' && name !== '.');
  for (const name of names) {
    if (name === '..') {
      throw unsafe({
        en: `The entry ${showName(path)} leads out of the package`,
        zh: `条目 ${showName(path)} 指向包外`,
      });
    }
    const fault = nameFault(name);
    if (fault !== null) {
      throw unsafe({
        en: `The entry ${showName(path)} ${fault.en}`,
        zh: `条目 ${showName(path)} ${fault.zh}`,
      });
    }
  }
  return names;
}
