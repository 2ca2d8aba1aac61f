import { assertNever } from '../../shared/assert-never.ts';
import { tr } from '../language.ts';
import { bashEntry } from './entries/bash.ts';
import { nodeEntry } from './entries/node.ts';
import { powershellEntry } from './entries/powershell.ts';
import { pythonEntry } from './entries/python.ts';
import { manifestText, runtimes } from './manifest-text.ts';
import type { NewFile, NewScript } from './new-script.ts';
import { runLine } from './run-line.ts';
import { sampleFile } from './sample-input.ts';

/** All files of a new script. */
export function filesOfScript(script: NewScript): NewFile[] {
  const sample = sampleFile(script.input);
  return [
    { path: 'script.toml', text: manifestText(script) },
    { path: runtimes[script.language].entry, text: entryText(script) },
    ...(sample === null ? [] : [sample]),
    { path: 'README.md', text: readmeText(script) },
  ];
}

function entryText(script: NewScript): string {
  switch (script.language) {
    case 'python':
      return pythonEntry(script);
    case 'node':
    case 'typescript':
      return nodeEntry(script);
    case 'bash':
      return bashEntry(script);
    case 'powershell':
      return powershellEntry(script);
    default:
      return assertNever(script.language);
  }
}

/** The README of a new script: how to run it, and the purpose of each file. */
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
| \`${runtimes[script.language].entry}\` | ${tr('the program', '运行的程序')} |
${sampleRow}
${tr('`hob check` checks the script for errors. `hob pack` creates a package for others.', '`hob check` 找出问题，`hob pack` 打包给别人用。')}
`;
}
