import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

import type { JsonObject } from '../../shared/json.ts';
import { RefusedError, type ServiceClient } from '../service-client.ts';
import { readOperation } from './operation.ts';
import type { OperationDisplay } from './operation-display.ts';

/** How long to wait for the rest of the log after the operation has ended. */
const lingerMs = 2000;

/** A log that is followed until it is closed. */
interface FollowedLog {
  /** Waits for the rest of the log. */
  close(): Promise<void>;
}

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

/** Passes each line of both streams of a run to a function. A broken connection is ignored. */
function followLog(client: ServiceClient, runId: string, onLine: (line: string) => void): FollowedLog {
  const controller = new AbortController();
  const streams = (['stdout', 'stderr'] as const).map(async (stream) => {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    try {
      for await (const bytes of client.follow(runId, stream, controller.signal)) {
        const lines = (rest + decoder.write(Buffer.from(bytes))).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onLine(lastDrawn(line));
      }
    } catch {
      // The service is gone, which the operation reports, or the log was closed.
    }
    if (rest !== '') onLine(lastDrawn(rest));
  });
  return {
    async close() {
      const timer = setTimeout(() => controller.abort(), lingerMs);
      await Promise.all(streams);
      clearTimeout(timer);
    },
  };
}

/** The final text of a line that a tool redrew with carriage returns, such as a progress bar. */
function lastDrawn(line: string): string {
  const drawn = line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return stripVTControlCharacters(drawn);
}
