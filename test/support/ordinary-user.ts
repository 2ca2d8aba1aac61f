/** Whether this process may become another user, to whom file permissions apply. */
export const canBecomeOrdinary = process.platform === 'linux' && process.getuid?.() === 0;

/** The uid of `nobody`, which owns no files. */
export const ordinaryUser = 65_534;

/** Runs `work` as a user to whom file permissions apply. They do not apply to root. */
export async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  process.seteuid?.(ordinaryUser);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
