/** Answers tell whole seconds, and take a moment to get here: a smaller difference is none. */
const leastMs = 2000;
let aheadMs = 0;

/** Takes the time from an answer, as its header `Date` has it. */
export function setServiceClock(date: string | null): void {
  const measuredMs = date === null ? Number.NaN : Date.parse(date) - Date.now();
  // What is shown ticks evenly as long as the two clocks go alike, however long an answer took.
  if (Math.abs(measuredMs - aheadMs) >= leastMs) aheadMs = Math.abs(measuredMs) < leastMs ? 0 : measuredMs;
}

/** The time where the service runs, which all times that it tells are of. The clock of the browser may be wrong by hours. */
export function serviceNow(): number {
  return Date.now() + aheadMs;
}
