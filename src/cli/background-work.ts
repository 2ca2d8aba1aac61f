import { setTimeout as wait } from 'node:timers/promises';

import { RefusedError, type ServiceClient } from './service-client.ts';

/** Work of the service that takes a while: an operation on a package or the download of a model. */
interface Work {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
}

/** Polling interval: looks smooth and costs the service next to nothing. */
const pollMs = 250;

/** Passes the progress to `onProgress` until the work ends or the signal aborts. Returns the last state. */
export async function followWork<Progress extends Work>(
  client: ServiceClient,
  path: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress(work: Progress): void },
): Promise<Progress> {
  for (;;) {
    const work = await client.get<Progress>(path);
    onProgress(work);
    if (work.state !== 'running' || signal.aborted) return work;
    await wait(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** Cancels the work and waits until it has ended. `endedCode` is the error code of work that has just ended. */
export async function stopWork<Progress extends Work>(
  client: ServiceClient,
  path: string,
  endedCode: string,
): Promise<Progress> {
  await client.post(`${path}/cancel`).catch((error: unknown) => {
    if (!(error instanceof RefusedError && error.code === endedCode)) throw error;
  });
  for (;;) {
    const work = await client.get<Progress>(path);
    if (work.state !== 'running') return work;
    await wait(pollMs);
  }
}
