import type { Command } from '../runtimes/command.ts';
import { type Language, type Sample, sdkFolder } from './language.ts';

const lastFolders = { PATH: sdkFolder('shell') };

export const bash = {
  startedWith: '`bash`',
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
  template: {
    word: 'bash',
    meaning: { en: 'a shell script', zh: 'shell 脚本' },
    entry: 'main.sh',
    write: writeEntry,
  },
} satisfies Language;

const measures = {
  files: `$(wc -c < "$item")`,
  folders: `$(find "$item" -mindepth 1 -maxdepth 1 | wc -l)`,
  text: `\${#item}`,
} as const;

function writeEntry({ input, tr, summary }: Sample): string {
  const params = `#!/usr/bin/env bash
set -euo pipefail

# ${tr(
    'The envelope at the end is the result: msg for people, the rest for programs. Printed text goes to the log of the run.',
    '最后写出的就是结果：msg 给人看，其余给程序用。打印的内容在运行日志里。',
  )}
greeting=$(hob param greeting)
times=$(hob param times)
for ((time = 0; time < times; time++)); do echo "$greeting"; done
`;
  if (input === 'none')
    return `${params}
hob envelope ok --msg "$greeting" times:="$times"
`;
  return `${params}
total=0
count=0
while IFS= read -r item; do
  total=$((total + ${measures[input]}))
  count=$((count + 1))
done < <(hob input --all)

hob envelope ok --msg "${summary('$total', `$count`)}" total:="$total"
`;
}
