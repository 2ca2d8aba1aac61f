/** Time as an argument, so that code which depends on it can be tested without waiting. */
export interface Clock {
  /** Wall time, for display. */
  now(): Date;
}

export const systemClock: Clock = {
  now: () => new Date(),
};
