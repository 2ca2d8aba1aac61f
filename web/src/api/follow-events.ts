import { openAnswer, RefusedError } from './call-service.ts';
import { type EventFrame, EventFrames } from './wire.ts';

export interface Listener {
  /** The next event is delivered after this call has resolved. */
  onEvent(event: EventFrame): void | Promise<void>;
  /** The stream is open, for the first time or after a reconnect. */
  onOpen?(): void;
  /** The stream broke or could not be opened. It is retried. */
  onCutOff?(error: unknown): void;
  /** No events arrive until the next `onOpen`, because the stream broke or the page is hidden. */
  onPause?(): void;
}

const firstPauseMs = 300;
const longestPauseMs = 5000;
/** The service sends at least a comment every 15 s. After a longer silence the connection is considered dead. */
const silenceMs = 40_000;
const wakeUp = 'hob:try-again';

/**
 * Follows a stream of events until the signal aborts. A reconnect resumes after the last received event. A hidden page disconnects, because
 * a browser allows only six connections to a service for all of its tabs together.
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
      // The stream has ended for good.
      if (status === 204 || body === null) return;
      onOpen?.();
      pauseMs = firstPauseMs;
      for await (const event of eventsIn(body, silenceMs)) {
        lastId = event.id;
        if (event.type !== '') await onEvent(event);
      }
      // A finished stream answers the next request with 204, so every end of a body is treated as a broken connection.
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

/** Ends the current retry pause, for example after signing in. */
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

/** Yields the events of a stream as they arrive. Throws if nothing arrives for `silenceMs`. */
async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  silenceMs: number,
): AsyncGenerator<EventFrame, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const frames = new EventFrames();
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, silenceMs);
      if (done) return;
      yield* frames.take(value);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Only the read is timed: the time that a consumer spends on an event does not count as silence. */
function readWithin(
  reader: ReadableStreamDefaultReader<string>,
  ms: number,
): Promise<ReadableStreamReadResult<string>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the stream has fallen silent')), ms);
    reader
      .read()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
