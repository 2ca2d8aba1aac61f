import type { BriefRun, EventData, ServiceEvent } from './wire.ts';

/** The run record in an event; null for other types of events. */
export function runIn({ type, data }: ServiceEvent): BriefRun | null {
  return type === 'run.queued' || type === 'run.started' || type === 'run.ended' ? data : null;
}

/** The progress that a run reported: a fraction from 0 to 1, which is null if the total is unknown, and a message. */
export type Progress = Pick<EventData<'run.progress'>, 'fraction' | 'message'>;
