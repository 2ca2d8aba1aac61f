import { eventOf } from '../../../src/client/client.ts';
import { Connection } from '../../../src/client/connection.ts';
import { connectionOptions, HobError } from './hob.ts';
import type { ServiceEvent } from './wire.ts';

export interface Listener {
  /** The next event is delivered after this call has resolved. */
  onEvent(event: ServiceEvent): void | Promise<void>;
  /** The stream is open, for the first time or after a reconnect. */
  onOpen?(): void;
  /** The stream broke or could not be opened. It is retried. */
  onCutOff?(error: unknown): void;
  /** No events arrive until the next `onOpen`, because the stream broke or the page is hidden. */
  onPause?(): void;
}

/** The pause after a refusal. Only a change in the service or another sign-in can help. */
const refusedPauseMs = 2000;
const wakeUp = 'hob:try-again';

/**
 * Follows a stream of events until the signal aborts. A reconnect resumes after the last received event. A hidden page disconnects, because
 * a browser allows only six connections to a service for all of its tabs together.
 */
export async function followEvents(
  path: string,
  { onEvent, onOpen, onCutOff, onPause }: Listener,
  signal: AbortSignal,
): Promise<void> {
  // Aborted if the page was hidden since the last attempt began.
  let hidden = new AbortController();
  const onVisibility = () => document.visibilityState === 'hidden' && hidden.abort();
  document.addEventListener('visibilitychange', onVisibility, { signal });
  const connection = new Connection({
    ...connectionOptions,
    async locate() {
      await whileHidden(signal);
      return connectionOptions.locate();
    },
    fetch(url, init) {
      hidden = new AbortController();
      const signals = [hidden.signal, init.signal].filter((each) => each !== undefined);
      return connectionOptions.fetch(url, { ...init, signal: AbortSignal.any(signals) });
    },
    onResponse(response) {
      connectionOptions.onResponse?.(response);
      if (response.status === 200) onOpen?.();
    },
    onGone(error) {
      onPause?.();
      if (!hidden.signal.aborted) onCutOff?.(error);
    },
    patienceMs: Number.POSITIVE_INFINITY,
    sleep: pause,
  });
  let since: string | undefined;
  while (!signal.aborted) {
    try {
      for await (const frame of connection.events(path, { since, signal })) {
        since = frame.id;
        if (frame.type !== '') await onEvent(eventOf(frame));
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      onPause?.();
      onCutOff?.(error);
      if (error instanceof HobError && error.status === 404) return;
      // The service refused the stream, for example because the user must sign in.
      await pause(refusedPauseMs, signal);
    }
  }
}

/** Ends the current pause before a retry, for example after signing in. */
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

/** Ends early if the signal is aborted or the page wants to try again. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      removeEventListener(wakeUp, done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    addEventListener(wakeUp, done);
  });
}
