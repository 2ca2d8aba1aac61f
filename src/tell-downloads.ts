import { eventData } from './http/events/event-data.ts';
import { jsonLine } from './http/send-json.ts';
import type { Downloads, DownloadView } from './models/downloads/download.ts';
import type { EventLog } from './runs/events/event-log.ts';
import { systemClock } from './shared/clock.ts';
import { isJsonObject } from './shared/json.ts';

/** A full disk, which may be just what ended a download, has to be cleared by somebody. */
const retryMs = 1000;

interface Telling {
  /** The event that was told last: the next one takes its place, so that the log is not filled by one download. */
  told: number | undefined;
  /** An end that could not be told yet. */
  retry: NodeJS.Timeout | undefined;
}

/**
 * How far downloads are is told to clients. A step that cannot be told is left out; the end is tried until it can be, and that of
 * a download which was under way when a service was killed is told by the next one.
 */
export function tellDownloads(downloads: Pick<Downloads, 'progress'>, eventLog: EventLog): () => void {
  endInterrupted(eventLog);
  const tellings = new Map<string, Telling>();
  const tell = (download: DownloadView) => {
    const telling = tellings.get(download.id) ?? { told: undefined, retry: undefined };
    tellings.set(download.id, telling);
    const { told } = telling;
    const data = eventData.download(download, systemClock.now());
    const event = eventLog.tell({
      type: 'model.progress',
      runId: null,
      data,
      ...(told !== undefined && { replaces: told }),
    });
    if (event !== null) telling.told = event.seq;
    if (download.state === 'running') return;
    if (event !== null) tellings.delete(download.id);
    else telling.retry = setTimeout(() => tell(download), retryMs).unref();
  };
  const unsubscribe = downloads.progress.subscribe(tell);
  return () => {
    unsubscribe();
    for (const { retry } of tellings.values()) clearTimeout(retry);
  };
}

/** Downloads do not outlive their service, so those that are said to run have ended with an earlier one. */
function endInterrupted(eventLog: EventLog): void {
  for (const { seq, data } of eventLog.ofType('model.progress')) {
    const told: unknown = JSON.parse(data);
    if (!isJsonObject(told) || told.state !== 'running') continue;
    const now = systemClock.now().toISOString();
    const end = { state: 'cancelled', ended_at: now, bytes_per_s: null, seconds_left: null, at: now };
    const event = { type: 'model.progress', runId: null, data: jsonLine({ ...told, ...end }) } as const;
    eventLog.tell({ ...event, replaces: seq });
  }
}
