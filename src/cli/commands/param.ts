import type { Command } from 'commander';
import { tr } from '../language.ts';
import { withSignature } from '../options.ts';
import { fileOption, findRun, needRun, shownValue } from '../this-run.ts';
import { userError } from '../user-error.ts';

interface ParamOptions {
  default?: string;
  file?: string;
  json?: boolean;
}

export function configure(command: Command): void {
  withSignature(command, {
    '<name>': ['name of the param in the manifest', '参数在清单中的名称'],
    '--default <text>': ['value to print if the param has none', '没有值时打印的内容'],
    '--json': ['print texts as JSON, too', '文本也打印为 JSON'],
    ...fileOption,
  })
    .addHelpText('after', examples)
    .action(async (name: string, { default: otherwise, file, json }: ParamOptions) => {
      const shown = json === true ? JSON.stringify : shownValue;
      const run = await (otherwise === undefined ? needRun(file) : findRun(file));
      const params = run?.params ?? {};
      const value = Object.hasOwn(params, name) ? (params[name] ?? null) : null;
      const printed = value ?? otherwise;
      if (printed !== undefined) process.stdout.write(`${shown(printed)}\n`);
      else {
        const there = Object.keys(params).join(', ');
        throw userError(
          `The param ${name} has no value. Available params: ${there || 'none'}. To allow a missing value: --default ""`,
          `参数 ${name} 没有值。现有参数：${there || '无'}。允许没有值时请加：--default ""`,
        );
      }
    });
}

const examples = tr(
  `
Example: quality=$(hob param quality --default 85)
Texts are printed as they are, all other values as JSON.`,
  `
示例：quality=$(hob param quality --default 85)
文本原样打印，其他值打印为 JSON。`,
);
