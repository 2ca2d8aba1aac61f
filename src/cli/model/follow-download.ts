import { setTimeout as wait } from 'node:timers/promises';

import type { JsonObject } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { RefusedError, type ServiceClient } from '../service-client.ts';
import { UserError } from '../user-error.ts';
import { readDownload } from './download.ts';
import type { ProgressDisplay } from './progress-display.ts';

/** Polling interval: looks smooth and costs the service next to nothing. */
const pollMs = 250;

/** Shows the progress of a download until it ends or the signal aborts. Returns the last state. */
export async function followDownload(
  id: string,
  { client, display, signal }: { client: ServiceClient; display: ProgressDisplay; signal: AbortSignal },
): Promise<JsonObject> {
  try {
    for (;;) {
      const answer = await client.get(pathOf(id));
      const download = readDownload(answer);
      if (download.state !== 'running' || signal.aborted) return answer;
      display.show(download);
      await wait(pollMs, undefined, { signal }).catch(() => {});
    }
  } catch (error) {
    throw error instanceof UserError ? withResumeHint(error) : error;
  } finally {
    display.clear();
  }
}

/** Cancels a download and waits until it has ended. */
export async function stopDownload(id: string, client: ServiceClient): Promise<JsonObject> {
  await client.post(`${pathOf(id)}/cancel`).catch((error: unknown) => {
    // The download has just ended.
    if (!(error instanceof RefusedError && error.code === 'download-ended')) throw error;
  });
  for (;;) {
    const answer = await client.get(pathOf(id));
    if (readDownload(answer).state !== 'running') return answer;
    await wait(pollMs);
  }
}

function pathOf(id: string): string {
  return `/api/models/downloads/${encodeURIComponent(id)}`;
}

/** Adds a hint to the error of a service that was stopped or restarted during the download. */
function withResumeHint(error: UserError): UserError {
  const advice = tr(
    'The downloaded part is kept. To resume, start Hob and run the same command again.',
    '已下载的部分会保留：Hob 运行后，再次运行同一命令即可继续。',
  );
  return new UserError(`${error.message}\n${advice}`, error.exitCode);
}
