import type { Position } from './position.ts';

/** A clock that was set back by less is waited for. */
const longestWaitMs = 60_000;

export interface Adapted {
  readonly position: Position;
  /** Whether the clock was set back, and the schedule goes on from now. */
  readonly isReset: boolean;
}

/**
 * Adapts a position to a clock that was set. The time before was probably wrong, for example because another system had set the clock
 * of the machine to local time. So the schedule goes on from now: waiting for the wrong time would silence it for hours. The records
 * show which slots have fired already.
 */
export function adaptToClock(position: Position, now: number): Adapted {
  const { since, high } = position;
  // The clock is past the time that it had before it was set back.
  const at = high !== null && now >= high ? Math.max(position.at, high) : position.at;
  const current = high !== null && now >= high ? { ...position, at, high: null } : position;
  if (at - now <= longestWaitMs) return { position: current, isReset: false };
  // It has dealt with no slot since it began.
  if (at === since) return { position: { ...current, since: now, at: now }, isReset: false };
  return {
    position: {
      ...current,
      since: now,
      at: now,
      high: Math.max(high ?? at, at),
      starting: null,
      waiting: null,
      off: null,
    },
    isReset: true,
  };
}
