import { type Command, CommanderError } from 'commander';

import { exitCodes } from './user-error.ts';

/** Scripts tell what could not be done from a command that they have written wrongly. */
export function strictUsage(command: Command): void {
  command.exitOverride(({ exitCode, code, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : exitCodes.usage, code, message);
  });
}

export const exitCodesText = `
Exit codes: 0 it was done, 1 it could not be done (stderr says why), 2 the command was written wrongly,
130 it was stopped by Ctrl-C.`;
