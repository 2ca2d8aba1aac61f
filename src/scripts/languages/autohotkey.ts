import type { Language } from './language.ts';

export const autohotkey = {
  startedWith: 'AutoHotkey, on Windows only',
  aliases: ['ahk'],
  extensions: ['.ahk'],
  platform: 'win32',
  interpreter: {
    title: 'AutoHotkey',
    names: ['AutoHotkey64.exe', 'AutoHotkey.exe', 'AutoHotkeyU64.exe'],
    probe: [],
    source: 'https://www.autohotkey.com/',
  },
} satisfies Language;
