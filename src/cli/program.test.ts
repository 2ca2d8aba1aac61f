import { Command, Option } from 'commander';
import { expect, it } from 'vitest';

import { speakChinese } from './program.ts';

function complaintOf(args: readonly string[]): string {
  let said = '';
  const program = new Command('hob').exitOverride();
  speakChinese(program);
  program.configureOutput({
    writeErr(text) {
      said += text;
    },
  });
  program
    .command('run')
    .exitOverride()
    .argument('<script>')
    .option('--home <dir>')
    .addOption(new Option('--json').conflicts('follow'))
    .option('--follow')
    .addOption(new Option('--lang <lang>').choices(['a', 'b']))
    .action(() => {});
  try {
    program.parse([...args], { from: 'user' });
  } catch {
    // Only the printed message matters.
  }
  return said.trim();
}

it.each([
  [['run'], '错误：缺少参数 script'],
  [['run', 'x', '--home'], '错误：选项 --home <dir> 缺少值'],
  [['run', 'x', '--hom', 'y'], '错误：未知选项 --hom\n（是不是 --home？）'],
  [['rum'], '错误：未知命令 rum\n（是不是 run？）'],
  [['run', 'x', 'y'], '错误：参数太多：需要 1 个，给了 2 个。'],
  [['run', 'x', '--json', '--follow'], '错误：选项 --json 不能与 --follow 同时使用'],
  [['run', 'x', '--lang', 'c'], '错误：选项 --lang <lang> 的值 “c” 无效。a, b'],
])('reports the usage error of %j in Chinese', (args, said) => {
  expect(complaintOf(args)).toBe(said);
});
