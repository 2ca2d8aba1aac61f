import type { Language, Sample } from './language.ts';

export const powershell = {
  startedWith: '`pwsh`, `powershell.exe`',
  aliases: ['pwsh', 'ps1'],
  extensions: ['.ps1'],
  interpreter: {
    title: 'PowerShell',
    names: ['pwsh', 'powershell.exe'],
    probe: [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      '"$($PSVersionTable.PSVersion)"; (Get-Process -Id $PID).Path',
    ],
    source: 'https://learn.microsoft.com/powershell/scripting/install/installing-powershell',
  },
  start(entry, { platform }) {
    const policy = platform === 'win32' ? ['-ExecutionPolicy', 'Bypass'] : [];
    return { args: ['-NoProfile', '-NonInteractive', ...policy, '-File', entry] };
  },
  template: {
    word: 'powershell',
    meaning: { en: 'PowerShell', zh: 'PowerShell' },
    entry: 'main.ps1',
    write: writeEntry,
  },
} satisfies Language;

const measures = {
  files: '(Get-Item -LiteralPath $item).Length',
  folders: '@(Get-ChildItem -Force -LiteralPath $item).Count',
  text: '$item.Length',
} as const;

function writeEntry({ input, tr, summary }: Sample): string {
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
foreach ($item in $items) { $total += ${measures[input]} }
$result = @{ code = 0; msg = "${summary('$total', '$($items.Count)')}"; total = $total }
${closing}`;
}
