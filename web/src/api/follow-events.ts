import { openAnswer, RefusedError } from './call-service.ts';
import { eventsIn, type ServiceEvent } from './event-frames.ts';

export interface Listener {
  /** The next one comes when it is done with this one. */
  onEvent(event: ServiceEvent): void | Promise<void>;
  /** The stream is there: for the first time, or again after it was cut off. */
  onOpen?(): void;
  /** It was cut off, or could not be had; it is tried again. */
  onCutOff?(error: unknown): void;
  /** Nothing is heard until it is open again, for whatever reason. */
  onPause?(): void;
}

const firstPauseMs = 300;
const longestPauseMs = 5000;
/** The service says something every 15 s or more often. A connection may be dead without anybody being told. */
const silenceMs = 40_000;
const wakeUp = 'hob:try-again';

/**
 * Listens to a stream of events until the signal, from the last event that was heard whenever it has to connect again. A page that nobody
 * sees does not listen: a browser has six connections to a service, for all of its pages together.
 */
export async function followEvents(
  path: string,
  { onEvent, onOpen, onCutOff, onPause }: Listener,
  { signal, since = null }: { signal: AbortSignal; since?: string | null },
): Promise<void> {
  let lastId = since;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    await whileHidden(signal);
    if (signal.aborted) return;
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    const onVisibility = () => document.visibilityState === 'hidden' && stop();
    signal.addEventListener('abort', stop);
    document.addEventListener('visibilitychange', onVisibility);
    try {
      const headers = lastId === null ? {} : { 'last-event-id': lastId };
      const { body, status } = await openAnswer(path, {
        headers,
        signal: attempt.signal,
        limitMs: silenceMs,
      });
      // There is nothing more to be heard, ever.
      if (status === 204 || body === null) return;
      onOpen?.();
      pauseMs = firstPauseMs;
      for await (const event of eventsIn(body, silenceMs)) {
        lastId = event.id;
        if (event.type !== '') await onEvent(event);
      }
      // Streams that have an end are asked for once more, and then say so.
      if (!attempt.signal.aborted) throw new Error('the stream was cut off');
    } catch (error) {
      if (signal.aborted) return;
      onPause?.();
      if (!attempt.signal.aborted) {
        onCutOff?.(error);
        if (error instanceof RefusedError && error.status === 404) return;
        await pause(pauseMs, signal);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      document.removeEventListener('visibilitychange', onVisibility);
    }
  }
}

/** There is reason to think that the service answers now. */
export function tryAgainNow(): void {
  dispatchEvent(new Event(wakeUp));
}

function whileHidden(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible' || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState === 'hidden' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      removeEventListener(wakeUp, done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    addEventListener(wakeUp, done);
  });
}
