import type { Command } from '../runtimes/command.ts';
import { type Language, sdkFolder } from './language.ts';

const lastFolders = { PATH: sdkFolder('shell') };

export const bash = {
  extensions: ['.sh', '.bash'],
  interpreter: {
    title: 'bash',
    names: ['bash'],
    probe: ['-c', 'echo "$BASH_VERSION"; echo'],
    source: 'https://www.gnu.org/software/bash/ (Windows: included in Git for Windows)',
  },
  addSdk: (command: Command) => ({
    ...command,
    env: { ...command.env, HOB_NODE: process.execPath },
    lastFolders,
  }),
  entryText: 'shell',
} satisfies Language;
