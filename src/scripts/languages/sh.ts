import { bash } from './bash.ts';
import type { Language } from './language.ts';

export const sh = {
  startedWith: '`sh`',
  aliases: ['shell'],
  interpreter: {
    title: 'sh',
    names: ['sh'],
    probe: ['-c', 'echo 1.0.0; echo'],
    isVersionless: true,
    source: 'Windows: included in Git for Windows',
  },
  addSdk: bash.addSdk,
  entryText: 'shell',
} satisfies Language;
