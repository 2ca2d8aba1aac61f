import { tr } from '../../language.ts';
import { summaryOf } from '../input-words.ts';
import type { NewScript } from '../new-script.ts';

const measures = {
  files: `$(wc -c < "$item")`,
  folders: `$(find "$item" -mindepth 1 -maxdepth 1 | wc -l)`,
  text: `\${#item}`,
} as const;

export function bashEntry({ input }: NewScript): string {
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

hob envelope ok --msg "${summaryOf(input, '$total', `$count`)}" total:="$total"
`;
}
