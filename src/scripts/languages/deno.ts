import type { Language } from './language.ts';

export const deno = {
  startedWith: '`deno run --allow-all`',
  interpreter: {
    title: 'Deno',
    names: ['deno'],
    probe: ['eval', 'console.log(Deno.version.deno); console.log(Deno.execPath())'],
    source: 'https://deno.com/',
  },
  start: (entry) => ({ args: ['run', '--allow-all', entry] }),
  entryText: 'utf8',
} satisfies Language;
