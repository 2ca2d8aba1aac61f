/** Whether this process may become another user, whom permissions keep from something. */
export const canBecomeOrdinary = process.platform === 'linux' && process.getuid?.() === 0;

/** A user that nobody is. */
export const ordinaryUser = 65_534;

/** Does something as a user to whom permissions apply, which they do not to root. */
export async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  process.seteuid?.(ordinaryUser);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
