import type { Language } from './language.ts';

export const perl = {
  startedWith: '`perl`',
  extensions: ['.pl'],
  interpreter: {
    title: 'Perl',
    names: ['perl'],
    probe: ['-e', 'printf "%vd\\n%s\\n", $^V, $^X'],
    source: 'https://www.perl.org/get.html',
  },
} satisfies Language;
