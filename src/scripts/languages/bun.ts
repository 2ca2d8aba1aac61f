import type { Language } from './language.ts';
import { addNodePath } from './node.ts';

export const bun = {
  startedWith: '`bun run`',
  interpreter: {
    title: 'Bun',
    names: ['bun'],
    probe: ['-e', 'console.log(Bun.version); console.log(process.execPath)'],
    source: 'https://bun.sh/',
  },
  start: (entry) => ({ args: ['run', entry] }),
  addSdk: addNodePath,
  entryText: 'utf8',
} satisfies Language;
