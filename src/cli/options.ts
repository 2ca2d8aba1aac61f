import { Argument, type Command, InvalidArgumentError, Option } from 'commander';

import { tr } from './language.ts';

interface Rules {
  readonly parse?: (text: string, before: unknown) => unknown;
  readonly default?: unknown;
  readonly choices?: readonly string[];
  readonly conflicts?: string | string[];
}

type Meaning = readonly [english: string, chinese: string, rules?: Rules];

/** Adds arguments (`<file>`) and options (`--force`) to a command. */
export function withSignature(command: Command, signature: Readonly<Record<string, Meaning>>): Command {
  for (const [name, [english, chinese, rules = {}]] of Object.entries(signature)) {
    const meaning = tr(english, chinese);
    const part = name.startsWith('-')
      ? new Option(name, meaning).conflicts(rules.conflicts ?? [])
      : new Argument(name, meaning);
    part.default(rules.default);
    if (rules.parse !== undefined) part.argParser(rules.parse);
    if (rules.choices !== undefined) part.choices(rules.choices);
    if (part instanceof Option) command.addOption(part);
    else command.addArgument(part);
  }
  return command;
}

export const homeOption = {
  '--home <dir>': [
    "home folder of the service (default: HOB_HOME, or the platform's data folder)",
    '服务的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
  ],
} as const;
export const jsonOption = {
  '--json': ['print the response of the service as JSON', '输出服务返回的 JSON，供程序使用'],
} as const;
/** For commands that print something other than the response of the service. */
export const plainJsonOption = { '--json': ['print JSON', '输出 JSON，供程序使用'] } as const;
export const operationJsonOption = {
  '--json': ['print the finished operation as JSON', '输出操作结果的 JSON，供程序使用'],
} as const;

export const noPrepareOption = {
  '--no-prepare': [
    'do not create the environment now; the first run creates it',
    '不预先准备运行环境，留到首次运行时',
  ],
} as const;
export const undeclaredOption = {
  '--undeclared': ['allow params that the manifest does not declare', '允许传递清单中未声明的参数'],
} as const;

export const scriptMeaning = [
  'script slug, id, id prefix (at least 4 characters) or exact name',
  'slug、ID、ID 的开头（至少 4 个字符）或完整名称',
] as const;

export interface CommonOptions {
  home?: string;
  json?: boolean;
}

/** Help below the options: examples that are the same in both languages, and an explanation. */
export function helpText(examples: readonly string[], english: string, chinese: string): string {
  const lines = examples.map((example) => `  ${example}\n`).join('');
  return `\n${tr('Examples:', '示例：')}\n${lines}\n${tr(english, chinese)}`;
}

export const exitCodesText = tr(
  `
Exit codes: 0 success, 1 failure (see stderr), 2 usage error, 130 interrupted by Ctrl-C.`,
  `
退出码：0 成功，1 失败（原因见 stderr），2 命令写法有误，130 被 Ctrl-C 中断。`,
);

export function collect(value: string, before: unknown): string[] {
  return [...(Array.isArray(before) ? before : []), value];
}

/** Parses a positive number of seconds; fractions are allowed. */
export function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError(tr('Expected a number of seconds.', '应为秒数。'));
  return seconds;
}

export function countArgument(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < least || count > most)
      throw new InvalidArgumentError(
        tr(`Expected an integer from ${least} to ${most}.`, `应为 ${least} 到 ${most} 的整数。`),
      );
    return count;
  };
}
