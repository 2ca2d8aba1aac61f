import type { BriefRun, EventFrame } from './wire.ts';

const runEventTypes = new Set(['run.queued', 'run.started', 'run.ended']);

/** The run record in an event; null for other types of events. */
export function runIn({ type, data }: EventFrame): BriefRun | null {
  return runEventTypes.has(type) && isRun(data) ? data : null;
}

/** The service sends complete records in these events, so checking two fields is enough. */
function isRun(data: unknown): data is BriefRun {
  return typeof data === 'object' && data !== null && 'run_id' in data && 'queued_at' in data;
}

/** The progress that a run reported. */
export interface Progress {
  /** From 0 to 1; null if the total is unknown. */
  readonly fraction: number | null;
  readonly message: string | null;
}

/** The progress in an event; null for other types of events. */
export function progressIn({ type, data: { fraction, message } }: EventFrame): Progress | null {
  if (type !== 'run.progress') return null;
  return {
    fraction: typeof fraction === 'number' ? fraction : null,
    message: typeof message === 'string' ? message : null,
  };
}
