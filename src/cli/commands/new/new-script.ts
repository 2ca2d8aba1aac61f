import { join } from 'node:path';

import { templates } from '../../../scripts/languages.ts';
import { quoteWord } from '../../command-lines.ts';
import { tr } from '../../language.ts';
import { tomlText } from '../../toml-text.ts';

export const languages: readonly string[] = templates.map(({ word }) => word);

export const inputKinds = ['files', 'folders', 'text', 'none'] as const;
export type InputKind = (typeof inputKinds)[number];

export interface NewScript {
  readonly id: string;
  readonly name: string;
  /** Empty if there is none. */
  readonly desc: string;
  /** A word of {@link languages}. */
  readonly language: string;
  readonly input: InputKind;
  readonly isNode: boolean;
}

/** A file of a new script, by its path in the folder. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** The command that runs the script. Without a slug, it contains the name, or the id if the name looks like an option. */
export function runLine({ id, name, input }: NewScript, folder: string, slug?: string): string {
  const value = sampleValue(input, folder);
  const word = slug ?? (name.startsWith('-') ? id : quoteWord(name));
  return ['hob run', word, ...(value === null ? [] : [quoteWord(value)])].join(' ');
}

const greeting = tr('Hello', '你好');

/** The file with the sample input of a new script; null if the script has no input. */
function sampleFile(input: InputKind): NewFile | null {
  if (input === 'none') return null;
  return { path: input === 'folders' ? 'sample/hello.txt' : 'sample.txt', text: `${greeting}\n` };
}

/** The sample input value for a script in this folder; null if the script has no input. */
export function sampleValue(input: InputKind, folder: string): string | null {
  const values = {
    files: join(folder, 'sample.txt'),
    folders: join(folder, 'sample'),
    text: greeting,
    none: null,
  };
  return values[input];
}

/** Texts about the input. The sample script counts units in items: "12 byte(s) in 1 file(s)". */
const inputWords = {
  files: {
    label: tr('Files', '文件'),
    description: tr('Absolute paths of files.', '文件的绝对路径。'),
    unit: tr('byte(s)', '字节'),
    items: tr('file(s)', '个文件'),
  },
  folders: {
    label: tr('Folders', '文件夹'),
    description: tr('Absolute paths of folders.', '文件夹的绝对路径。'),
    unit: tr('entries', '项'),
    items: tr('folder(s)', '个文件夹'),
  },
  text: {
    label: tr('Text', '文本'),
    description: tr('A text.', '一段文本。'),
    unit: tr('character(s)', '个字符'),
    items: tr('text(s)', '段文本'),
  },
};

/** The files of a new script, for a service with this address. */
export function filesOfScript(script: NewScript, serviceUrl: string): NewFile[] {
  const sample = sampleFile(script.input);
  const { editorFile } = templateOf(script);
  return [
    { path: 'script.toml', text: manifestText(script, serviceUrl) },
    { path: templateOf(script).entry, text: entryText(script) },
    ...(sample === null ? [] : [sample]),
    ...(editorFile === undefined ? [] : [{ path: editorFile.path, text: editorFile.write() }]),
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
  const summary = (total: string, count: string) => {
    if (input === 'none') return '';
    const { unit, items } = inputWords[input];
    return tr(`${total} ${unit} in ${count} ${items}`, `${count} ${items}，共 ${total} ${unit}`);
  };
  return templateOf(script).write({ input, greeting, tr, summary });
}

function readmeText(script: NewScript): string {
  const sample = sampleFile(script.input);
  const sampleRow =
    sample === null ? '' : `| \`${sample.path}\` | ${tr('sample input', '试运行用的输入')} |\n`;
  const { entry, editorFile } = templateOf(script);
  const editorRow =
    editorFile === undefined
      ? ''
      : `| \`${editorFile.path}\` | ${tr('tells editors on this machine where the module `hob` is', '让本机的编辑器找到 `hob` 模块')} |\n`;
  return `# ${script.name}
${script.desc === '' ? '' : `\n${script.desc}\n`}
\`\`\`sh
${runLine(script, '.')}
\`\`\`

| ${tr('file', '文件')} | ${tr('purpose', '说明')} |
|---|---|
| \`script.toml\` | ${tr('the manifest: name, input and params', '清单：名称、输入和参数')} |
| \`${entry}\` | ${tr('the program', '运行的程序')} |
${sampleRow}${editorRow}
${tr('`hob check` checks the script for errors. `hob pack` creates a package for others.', '`hob check` 找出问题，`hob pack` 打包给别人用。')}
`;
}

function manifestText(script: NewScript, serviceUrl: string): string {
  const { language, versions, entry } = templateOf(script);
  return `#:schema ${serviceUrl}/api/script.schema.json

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
