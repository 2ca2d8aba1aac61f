/** Which part of the long version runs: 1 is all of it, 0 the short version that runs with the other tests. */
const share = Number(process.env.RELIABILITY_SHARE ?? 0);

const isLong = share > 0;

/** The number of repetitions. */
export function scaled(short: number, long: number): number {
  return isLong ? Math.max(1, Math.ceil(long * share)) : short;
}

/** A limit in milliseconds. It is five times as high, because other tests run at the same time. */
export function boundMs(ms: number): number {
  return 5 * ms;
}

/** How long a scenario may take before it counts as hung. */
export const patiently = { timeout: isLong ? 7_200_000 : 240_000 };
