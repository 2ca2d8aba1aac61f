import type { ServiceEvent } from './event-frames.ts';
import type { BriefRun } from './wire.ts';

const tellingOfRuns = new Set(['run.queued', 'run.started', 'run.ended']);

/** The record of a run in an event that tells of one. */
export function runIn({ type, data }: ServiceEvent): BriefRun | null {
  return tellingOfRuns.has(type) && isRun(data) ? data : null;
}

/** The service tells of a run by the schema of its records; one look is enough to know that it is one. */
function isRun(data: unknown): data is BriefRun {
  return typeof data === 'object' && data !== null && 'run_id' in data && 'queued_at' in data;
}
