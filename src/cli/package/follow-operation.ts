import { setTimeout as wait } from 'node:timers/promises';

import type { JsonObject } from '../../shared/json.ts';
import { RefusedError, type ServiceClient } from '../service-client.ts';
import { type FollowedLog, followLog } from './follow-log.ts';
import { readOperation } from './operation.ts';
import type { OperationDisplay } from './operation-display.ts';

/** Often enough for an eye, and next to nothing for the service. */
const betweenLooksMs = 250;

interface Following {
  readonly client: ServiceClient;
  readonly display: OperationDisplay;
  readonly signal: AbortSignal;
}

/** Shows how far an operation is, and the log of what it prepares, until it has ended or until the signal. */
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
      await wait(betweenLooksMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    if (!signal.aborted) await log?.close();
    display.clear();
  }
}

/** Stops an operation, and waits until it has cleared up. */
export async function stopOperation(id: string, client: ServiceClient): Promise<JsonObject> {
  await client.post(`${pathOf(id)}/cancel`).catch((error: unknown) => {
    // It ended by itself at the same moment.
    if (!(error instanceof RefusedError && error.code === 'operation-ended')) throw error;
  });
  for (;;) {
    const answer = await client.get(pathOf(id));
    if (readOperation(answer).state !== 'running') return answer;
    await wait(betweenLooksMs);
  }
}

function pathOf(id: string): string {
  return `/api/packages/operations/${encodeURIComponent(id)}`;
}
