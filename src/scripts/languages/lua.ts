import type { Language } from './language.ts';

export const lua = {
  startedWith: '`lua`, `lua5.4` and the like',
  extensions: ['.lua'],
  interpreter: {
    title: 'Lua',
    names: ['lua'],
    versionedName: /^lua-?(5\.\d)$/,
    probe: ['-e', 'print((_VERSION:gsub("Lua ", "")))'],
    source: 'https://www.lua.org/download.html (Debian, Ubuntu: apt install lua5.4)',
  },
} satisfies Language;
