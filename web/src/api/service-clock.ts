/** The Date header has a resolution of one second, and responses take time. Smaller differences are ignored. */
const leastMs = 2000;
let aheadMs = 0;

/** Measures the clock of the service from the `Date` header of a response. */
export function setServiceClock(date: string | null): void {
  const measuredMs = date === null ? Number.NaN : Date.parse(date) - Date.now();
  // Small changes are ignored, so that displayed durations do not jump with the latency of each response.
  if (Math.abs(measuredMs - aheadMs) >= leastMs) aheadMs = Math.abs(measuredMs) < leastMs ? 0 : measuredMs;
}

/** The current time by the clock of the service, which all its timestamps use. The clock of the browser may be wrong by hours. */
export function serviceNow(): number {
  return Date.now() + aheadMs;
}
