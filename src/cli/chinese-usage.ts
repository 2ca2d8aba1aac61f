import type { Command } from 'commander';

const titles: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Commands:': '命令：',
};

/** What the library says of a command that is written wrongly. It has no other place to put it in another language. */
const complaints: readonly [pattern: RegExp, chinese: string][] = [
  [/^error: missing required argument '(.+)'/, '错误：缺少参数 $1'],
  [/^error: option '(.+?)' argument missing/, '错误：选项 $1 缺少值'],
  [/^error: required option '(.+?)' not specified/, '错误：必须给出选项 $1'],
  [/^error: option '(.+?)' cannot be used with option '(.+?)'/, '错误：选项 $1 不能与 $2 同时使用'],
  [
    /^error: option '(.+?)' argument '(.*)' is invalid\.(?: Allowed choices are (.+)\.)?/,
    '错误：选项 $1 的值 “$2” 无效。$3',
  ],
  [
    /^error: command-argument value '(.*)' is invalid for argument '(.+?)'\./,
    '错误：参数 $2 的值 “$1” 无效。',
  ],
  [/^error: unknown option '(.+?)'/, '错误：没有选项 $1'],
  [/^error: unknown command '(.+?)'/, '错误：没有命令 $1'],
  [
    /^error: too many arguments.*Expected (\d+) arguments? but got (\d+)\./,
    '错误：参数太多：需要 $1 个，给了 $2 个。',
  ],
  [/\(Did you mean (?:one of )?(.+)\?\)/, '（是不是 $1？）'],
];

/** Has the library that reads commands speak Chinese. To be called before subcommands are added: they take after their parent. */
export function speakChinese(program: Command): void {
  program
    .configureHelp({ styleTitle: (title) => titles[title] ?? title })
    .configureOutput({ outputError: (text, write) => write(inChinese(text)) });
}

export function inChinese(complaint: string): string {
  let text = complaint;
  for (const [pattern, chinese] of complaints) text = text.replace(pattern, chinese);
  return text;
}
