import type { Language } from './language.ts';

export const php = {
  startedWith: '`php`, `php8.2` and the like',
  extensions: ['.php'],
  interpreter: {
    title: 'PHP',
    names: ['php'],
    versionedName: /^php(\d+\.\d+)$/,
    probe: ['-r', 'echo PHP_VERSION, "\\n", PHP_BINARY, "\\n";'],
    source: 'https://www.php.net/downloads (Debian, Ubuntu: apt install php-cli)',
  },
} satisfies Language;
