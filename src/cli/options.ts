import { InvalidArgumentError } from 'commander';

import { tr } from './language.ts';

/** Options that many commands share. */
export const homeOption = [
  '--home <dir>',
  tr(
    "home folder of the service (default: HOB_HOME, or the platform's data folder)",
    '服务的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
  ),
] as const;
export const jsonOption = [
  '--json',
  tr('print the response of the service as JSON', '输出服务返回的 JSON，供程序使用'),
] as const;
/** For commands that print something other than the response of the service. */
export const plainJsonOption = ['--json', tr('print JSON', '输出 JSON，供程序使用')] as const;
export const operationJsonOption = [
  '--json',
  tr('print the finished operation as JSON', '输出操作结果的 JSON，供程序使用'),
] as const;

/** Help text of a `<script>` argument. */
export const scriptMeaning = tr(
  'script id, id prefix (at least 4 characters) or exact name',
  'ID、ID 的开头（至少 4 个字符）或完整名称',
);

export interface CommonOptions {
  home?: string;
  json?: boolean;
}

export const exitCodesText = tr(
  `
Exit codes: 0 success, 1 failure (see stderr), 2 usage error, 130 interrupted by Ctrl-C.`,
  `
退出码：0 成功，1 失败（原因见 stderr），2 命令写法有误，130 被 Ctrl-C 中断。`,
);

/** Parser for an option that can be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Parses a positive number of seconds; fractions are allowed. */
export function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError(tr('Expected a number of seconds.', '应为秒数。'));
  return seconds;
}

/** Makes a parser for an integer in a range. */
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
