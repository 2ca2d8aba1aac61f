import { tr } from '../language.ts';
import { runtimes } from './manifest-text.ts';
import type { NewScript } from './new-script.ts';
import { runLine } from './run-line.ts';
import { sampleFile } from './sample-input.ts';

/** The README of a new script: how to run it, and the purpose of each file. */
export function readmeText(script: NewScript): string {
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
