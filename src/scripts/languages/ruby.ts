import type { Language } from './language.ts';

export const ruby = {
  startedWith: '`ruby`, `ruby3.2` and the like',
  extensions: ['.rb'],
  interpreter: {
    title: 'Ruby',
    names: ['ruby'],
    versionedName: /^ruby(\d+\.\d+)$/,
    probe: ['-rrbconfig', '-e', 'puts RUBY_VERSION, RbConfig.ruby'],
    source: 'https://www.ruby-lang.org/ (Debian, Ubuntu: apt install ruby)',
  },
} satisfies Language;
