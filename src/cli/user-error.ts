import { tr } from './language.ts';

/** Exit codes besides 0 (success). */
export const exitCodes = { failed: 1, usage: 2 } as const;

/** An error that the user can fix. It is shown without a stack trace. */
export class UserError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

export class ReportedError extends UserError {
  constructor(exitCode: number = exitCodes.failed) {
    super('', exitCode);
  }
}

export function userError(english: string, chinese: string): UserError {
  return new UserError(tr(english, chinese));
}

/** An error in the way the command was written. */
export function usageError(english: string, chinese: string): UserError {
  return new UserError(tr(english, chinese), exitCodes.usage);
}
