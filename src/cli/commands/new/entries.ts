import { tr } from '../../language.ts';
import { greeting, type NewScript, summaryOf } from './new-script.ts';

const measures = {
  files: ['(await stat(item)).size', "import { stat } from 'node:fs/promises';\n\n"],
  folders: ['(await readdir(item)).length', "import { readdir } from 'node:fs/promises';\n\n"],
  text: ['[...item].length', ''],
} as const;

/** The entry file for Node and TypeScript, which differ only in a type annotation. */
export function nodeEntry({ input, language }: NewScript): string {
  const about = tr(
    'The return value is the result: msg for people, the rest for programs. Printed text goes to the log of the run.',
    '返回值就是结果：msg 给人看，其余给程序用。打印的内容在运行日志里。',
  );
  if (input === 'none')
    return `import hob from 'hob';

// ${about}
hob.main(async ({ params, run }) => {
  for (let time = 1; time <= params.times; time++) {
    console.log(params.greeting);
    run.progress(time / params.times, params.greeting);
  }
  return { msg: params.greeting, times: params.times };
});
`;
  const [measure, imports] = measures[input];
  const total = language === 'typescript' ? 'total: number' : 'total';
  const summary = summaryOf(input, `\${total}`, `\${inputs.length}`);
  return `${imports}import hob from 'hob';

// ${about}
hob.main(async ({ inputs, params, run }) => {
  for (let time = 1; time <= params.times; time++) console.log(params.greeting);
  let ${total} = 0;
  for (const [done, item] of inputs.entries()) {
    total += ${measure};
    run.progress((done + 1) / inputs.length, item);
  }
  return { msg: \`${summary}\`, total };
});
`;
}

const pythonMeasures = {
  files: ['os.path.getsize(item)', 'import os\n\n'],
  folders: ['len(os.listdir(item))', 'import os\n\n'],
  text: ['len(item)', ''],
} as const;

export function pythonEntry({ input }: NewScript): string {
  const params = `greeting: str = "${greeting}", times: int = 1`;
  const about = tr(
    'The return value is the result: msg for people, the rest for programs. Printed text goes to the log of the run.',
    '返回值就是结果：msg 给人看，其余给程序用。打印的内容在运行日志里。',
  );
  if (input === 'none')
    return `import hob


@hob.main
def main(inputs: list, run, ${params}):
    # ${about}
    for time in range(times):
        print(greeting)
        run.progress((time + 1) / times, greeting)
    return {"msg": greeting, "times": times}
`;
  const [measure, imports] = pythonMeasures[input];
  return `${imports}import hob


@hob.main
def main(inputs: list, run, ${params}):
    # ${about}
    for _ in range(times):
        print(greeting)
    total = 0
    for done, item in enumerate(inputs, start=1):
        total += ${measure}
        run.progress(done / len(inputs), item)
    return {"msg": f"${summaryOf(input, '{total}', '{len(inputs)}')}", "total": total}
`;
}

const bashMeasures = {
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
  total=$((total + ${bashMeasures[input]}))
  count=$((count + 1))
done < <(hob input --all)

hob envelope ok --msg "${summaryOf(input, '$total', `$count`)}" total:="$total"
`;
}

const powershellMeasures = {
  files: '(Get-Item -LiteralPath $item).Length',
  folders: '@(Get-ChildItem -Force -LiteralPath $item).Count',
  text: '$item.Length',
} as const;

export function powershellEntry({ input }: NewScript): string {
  // Windows PowerShell needs the byte order mark to read the file as UTF-8.
  const opening = `\ufeff$ErrorActionPreference = 'Stop'

# ${tr('The first argument is the parameter file: environment, data and params.', '第一个参数是参数文件，包含 environment、data 和 params。')}
$request = Get-Content -Raw -Encoding UTF8 -LiteralPath $args[0] | ConvertFrom-Json
$params = $request.params

for ($time = 0; $time -lt $params.times; $time++) { Write-Output $params.greeting }
`;
  const closing = `
# ${tr('The result: msg for people, the rest for programs.', '结果：msg 给人看，其余给程序用。')}
[IO.File]::WriteAllText($request.environment.output_json, ($result | ConvertTo-Json -Compress))
`;
  if (input === 'none')
    return `${opening}
$result = @{ code = 0; msg = $params.greeting; times = $params.times }
${closing}`;
  return `${opening}
$items = @($request.data.${input})
$total = 0
foreach ($item in $items) { $total += ${powershellMeasures[input]} }
$result = @{ code = 0; msg = "${summaryOf(input, '$total', '$($items.Count)')}"; total = $total }
${closing}`;
}
