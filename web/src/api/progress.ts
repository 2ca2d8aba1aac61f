import type { ServiceEvent } from './event-frames.ts';

/** The progress that a run reported. */
export interface Progress {
  /** From 0 to 1; null if the total is unknown. */
  readonly fraction: number | null;
  readonly message: string | null;
}

/** The progress in an event; null for other types of events. */
export function progressIn({ type, data: { fraction, message } }: ServiceEvent): Progress | null {
  if (type !== 'run.progress') return null;
  return {
    fraction: typeof fraction === 'number' ? fraction : null,
    message: typeof message === 'string' ? message : null,
  };
}
