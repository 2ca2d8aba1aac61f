import type { ServiceEvent } from './event-frames.ts';

/** How far a run says it is. */
export interface Progress {
  /** From 0 to 1; null: nobody knows how much there is to do. */
  readonly fraction: number | null;
  readonly message: string | null;
}

/** What an event tells of that; null when it tells of something else. */
export function progressIn({ type, data: { fraction, message } }: ServiceEvent): Progress | null {
  if (type !== 'run.progress') return null;
  return {
    fraction: typeof fraction === 'number' ? fraction : null,
    message: typeof message === 'string' ? message : null,
  };
}
