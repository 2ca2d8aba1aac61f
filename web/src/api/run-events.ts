import type { ServiceEvent } from './event-frames.ts';
import type { BriefRun } from './wire.ts';

const runEventTypes = new Set(['run.queued', 'run.started', 'run.ended']);

/** The run record in an event; null for other types of events. */
export function runIn({ type, data }: ServiceEvent): BriefRun | null {
  return runEventTypes.has(type) && isRun(data) ? data : null;
}

/** The service sends complete records in these events, so checking two fields is enough. */
function isRun(data: unknown): data is BriefRun {
  return typeof data === 'object' && data !== null && 'run_id' in data && 'queued_at' in data;
}
