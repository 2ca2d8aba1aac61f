import { tr } from '../language.ts';
import { greeting, inputWords } from './input-words.ts';
import type { NewScript, ScriptLanguage } from './new-script.ts';

/** Manifest values per language: its name, the versions that the sample needs, and the entry file. */
export const runtimes: Readonly<
  Record<ScriptLanguage, { readonly language: string; readonly versions?: string; readonly entry: string }>
> = {
  python: { language: 'python', versions: '>=3.8', entry: 'main.py' },
  node: { language: 'node.js', versions: '>=18', entry: 'main.mjs' },
  typescript: { language: 'typescript', entry: 'main.ts' },
  bash: { language: 'bash', entry: 'main.sh' },
  powershell: { language: 'powershell', entry: 'main.ps1' },
};

/** The manifest of a new script. */
export function manifestText(script: NewScript): string {
  const { language, versions, entry } = runtimes[script.language];
  return `#:schema http://127.0.0.1:9527/api/script.schema.json

[service.info]
id = "${script.id}"
name = ${tomlText(script.name)}
version = "0.1.0"
${script.desc === '' ? '' : `desc = ${tomlText(script.desc)}\n`}
[service.runtime]
language = "${language}"
${versions === undefined ? '' : `language_version = "${versions}"\n`}entry = "${entry}"
# ${tr('Time limit of a run in seconds. Without it, there is no limit.', '运行超过这么多秒就会被停止；不写则不限时。')}
# timeout = 600
${inputTable(script)}
# ${tr('Params that a caller can set. Omitted params get their default.', '调用者可以设置的参数；没有给出的取默认值。')}
[[service.params]]
name = "greeting"
label = "${tr('Greeting', '问候语')}"
type = "str"
default = "${greeting}"

[[service.params]]
name = "times"
label = "${tr('Number of greetings', '问候几次')}"
type = "int"
default = 1
${outputTable(script)}
[service.node]
# ${tr('Whether other scripts can call this one.', '其他脚本能否调用它。')}
enabled = ${script.isNode}
`;
}

function inputTable({ input }: NewScript): string {
  if (input === 'none') return '';
  const { label, description } = inputWords[input];
  const pick = input === 'text' ? '' : `pick = "${input}"\n`;
  return `
# ${tr('The main input.', '它处理的内容。')}
[[service.inputs]]
name = "${input}"
label = "${label}"
type = "${input === 'text' ? 'str' : 'list'}"
${pick}description = "${description}"
`;
}

function outputTable({ input }: NewScript): string {
  if (input === 'none') return '';
  return `
# ${tr('What the script returns besides code and msg.', '除 code 和 msg 之外返回的内容。')}
[[service.outputs]]
name = "total"
type = "int"
`;
}

/** TOML strings are escaped as in JSON, plus the DEL character. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
