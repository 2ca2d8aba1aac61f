import { satisfies } from '../runtimes/version-range.ts';
import type { Language } from './language.ts';
import { editorSettings, node, writeEntry } from './node.ts';

/** Node.js versions that strip types themselves. */
const nodeWithTypes = { range: '>=22.18 <23 || >=23.6', excluded: [] };

/**
 * By default, tsx keeps its compiled files in the shared temporary folder, under a predictable name: another user could create that
 * folder first and inject code into the scripts of this user.
 */
const withoutSharedCache = { TSX_DISABLE_CACHE: '1' };

export const typescript = {
  startedWith: 'Node, as above',
  aliases: ['ts'],
  extensions: ['.ts', '.mts', '.cts'],
  interpretedBy: 'node.js',
  start: (entry, { version }) =>
    version !== null && satisfies(version, nodeWithTypes)
      ? { args: [entry] }
      : { args: ['--import', import.meta.resolve('tsx'), entry], env: withoutSharedCache },
  warm: 'node.js',
  addSdk: node.addSdk,
  entryText: 'utf8',
  template: {
    word: 'typescript',
    meaning: { en: 'no build step needed', zh: '直接运行，无需编译' },
    entry: 'main.ts',
    write: (sample) => writeEntry(sample, 'total: number'),
    editorFile: { path: 'tsconfig.json', write: () => editorSettings({ strict: true }) },
  },
} satisfies Language;
