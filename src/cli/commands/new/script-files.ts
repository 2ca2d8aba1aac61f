import { templates } from '../../../scripts/languages.ts';
import { tr } from '../../language.ts';
import {
  greeting,
  inputWords,
  type NewFile,
  type NewScript,
  runLine,
  sampleFile,
  summaryOf,
} from './new-script.ts';

export function filesOfScript(script: NewScript): NewFile[] {
  const sample = sampleFile(script.input);
  return [
    { path: 'script.toml', text: manifestText(script) },
    { path: templateOf(script).entry, text: entryText(script) },
    ...(sample === null ? [] : [sample]),
    { path: 'README.md', text: readmeText(script) },
  ];
}

function templateOf({ language }: NewScript) {
  const template = templates.find(({ word }) => word === language);
  if (template === undefined) throw new Error(`${language} has no template`);
  return template;
}

function entryText(script: NewScript): string {
  const { input } = script;
  const summary = (total: string, count: string) => (input === 'none' ? '' : summaryOf(input, total, count));
  return templateOf(script).write({ input, greeting, tr, summary });
}

function readmeText(script: NewScript): string {
  const sample = sampleFile(script.input);
  const sampleRow =
    sample === null ? '' : `| \`${sample.path}\` | ${tr('sample input', '试运行用的输入')} |\n`;
  return `# ${script.name}
${script.desc === '' ? '' : `\n${script.desc}\n`}
\`\`\`sh
${runLine(script, '.')}
\`\`\`

| ${tr('file', '文件')} | ${tr('purpose', '说明')} |
|---|---|
| \`script.toml\` | ${tr('the manifest: name, input and params', '清单：名称、输入和参数')} |
| \`${templateOf(script).entry}\` | ${tr('the program', '运行的程序')} |
${sampleRow}
${tr('`hob check` checks the script for errors. `hob pack` creates a package for others.', '`hob check` 找出问题，`hob pack` 打包给别人用。')}
`;
}

function manifestText(script: NewScript): string {
  const { language, versions, entry } = templateOf(script);
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
