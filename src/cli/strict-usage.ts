import { type Command, CommanderError } from 'commander';

import { tr } from './language.ts';
import { exitCodes } from './user-error.ts';

/** Makes usage errors exit with 2, so that scripts can tell them from failures. */
export function strictUsage(command: Command): void {
  command.exitOverride(({ exitCode, code, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : exitCodes.usage, code, message);
  });
}

export const exitCodesText = tr(
  `
Exit codes: 0 success, 1 failure (see stderr), 2 usage error, 130 interrupted by Ctrl-C.`,
  `
退出码：0 成功，1 失败（原因见 stderr），2 命令写法有误，130 被 Ctrl-C 中断。`,
);
