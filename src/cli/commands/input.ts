import type { Command } from 'commander';
import { tr } from '../language.ts';
import { withSignature } from '../options.ts';
import { fileOption, needRun } from '../this-run.ts';
import { usageError, userError } from '../user-error.ts';

interface InputOptions {
  all?: boolean;
  file?: string;
  json?: boolean;
}

export function configure(command: Command): void {
  withSignature(command, {
    '[number]': ['number of the value, starting at 1', '第几个，从 1 开始'],
    '--all': [
      'print all values, one per line; succeeds even if there are none',
      '全部打印，每行一个；可以没有',
    ],
    '--json': ['print JSON (a list with --all)', '输出 JSON；与 --all 一起时为列表'],
    ...fileOption,
  })
    .addHelpText('after', examples)
    .action(async (word: string | undefined, { all, file, json }: InputOptions) => {
      if (all === true && word !== undefined)
        throw usageError('Use either a number or --all, not both.', '序号和 --all 不能同时使用。');
      const index = indexOf(word ?? '1');
      const { inputs } = await needRun(file);
      if (all === true) {
        const lines = json === true ? [JSON.stringify(inputs)] : inputs;
        process.stdout.write(lines.map((line) => `${line}\n`).join(''));
        return;
      }
      const input = inputs[index];
      if (input === undefined)
        throw userError(
          `There is no input value ${index + 1}: the run has ${inputs.length}.`,
          `没有第 ${index + 1} 个输入：本次运行共有 ${inputs.length} 个。`,
        );
      process.stdout.write(`${json === true ? JSON.stringify(input) : input}\n`);
    });
}

function indexOf(word: string): number {
  const number = Number(word);
  if (Number.isSafeInteger(number) && number > 0) return number - 1;
  throw usageError(
    `Invalid number "${word}": expected an integer of 1 or more.`,
    `“${word}” 不是从 1 开始的序号。`,
  );
}

const examples = tr(
  `
Examples:
  file=$(hob input)
  hob input --all | while IFS= read -r file; do wc -l "$file"; done`,
  `
示例：
  file=$(hob input)
  hob input --all | while IFS= read -r file; do wc -l "$file"; done`,
);
