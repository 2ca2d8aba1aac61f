/** How much of the long version is run: 1 for all of it, 0 for the short version that runs with every test. */
const share = Number(process.env.RELIABILITY_SHARE ?? 0);

const isLong = share > 0;

/** How often something is done. */
export function scaled(short: number, long: number): number {
  return isLong ? Math.max(1, Math.ceil(long * share)) : short;
}

/** A bound in milliseconds, for a test that runs beside all others: so many times slower is no failure there. */
export function boundMs(ms: number): number {
  return 5 * ms;
}

/** How long a scenario may take before it counts as hung. */
export const patiently = { timeout: isLong ? 7_200_000 : 240_000 };
