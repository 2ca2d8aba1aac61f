import { eventData } from './http/events/event-data.ts';
import type { Downloads } from './models/downloads/download.ts';
import type { EventLog } from './runs/events/event-log.ts';
import { tellProgress } from './tell-progress.ts';

/** Publishes the progress of downloads to clients. */
export function tellDownloads(downloads: Pick<Downloads, 'progress'>, eventLog: EventLog): () => void {
  return tellProgress(eventLog, {
    type: 'model.progress',
    feed: downloads.progress,
    encode: eventData.download,
    interrupted: { bytes_per_s: null, seconds_left: null },
  });
}
