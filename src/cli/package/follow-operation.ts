import { setTimeout as wait } from 'node:timers/promises';

import type { JsonObject } from '../../shared/json.ts';
import { RefusedError, type ServiceClient } from '../service-client.ts';
import { type FollowedLog, followLog } from './follow-log.ts';
import { readOperation } from './operation.ts';
import type { OperationDisplay } from './operation-display.ts';

/** Polling interval: looks smooth and costs the service next to nothing. */
const pollMs = 250;

interface Following {
  readonly client: ServiceClient;
  readonly display: OperationDisplay;
  readonly signal: AbortSignal;
}

/** Shows the progress and the preparation log of an operation until it ends or the signal aborts. */
export async function followOperation(id: string, following: Following): Promise<JsonObject> {
  const { client, display, signal } = following;
  let log: FollowedLog | null = null;
  try {
    for (;;) {
      const answer = await client.get(pathOf(id));
      const operation = readOperation(answer);
      if (log === null && operation.runId !== null)
        log = followLog(client, operation.runId, (line) => display.log(line));
      if (operation.state !== 'running' || signal.aborted) return answer;
      display.show(operation);
      await wait(pollMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    if (!signal.aborted) await log?.close();
    display.clear();
  }
}

/** Cancels an operation and waits until it has ended. */
export async function stopOperation(id: string, client: ServiceClient): Promise<JsonObject> {
  await client.post(`${pathOf(id)}/cancel`).catch((error: unknown) => {
    // The operation has just ended.
    if (!(error instanceof RefusedError && error.code === 'operation-ended')) throw error;
  });
  for (;;) {
    const answer = await client.get(pathOf(id));
    if (readOperation(answer).state !== 'running') return answer;
    await wait(pollMs);
  }
}

function pathOf(id: string): string {
  return `/api/packages/operations/${encodeURIComponent(id)}`;
}
