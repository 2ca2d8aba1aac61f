/** Exit codes beside 0, which means that it was done: it could not be done, and the command was written wrongly. */
export const exitCodes = { failed: 1, usage: 2 } as const;

/** Something the user can mend: shown without a stack. */
export class UserError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command has failed, and has said all there is to say. */
export class ToldError extends UserError {
  constructor(exitCode: number = exitCodes.failed) {
    super('', exitCode);
  }
}
