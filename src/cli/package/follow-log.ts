import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

import type { ServiceClient } from '../service-client.ts';

/** How long to wait for the rest of the log after the operation has ended. */
const lingerMs = 2000;

/** A log that is followed until it is closed. */
export interface FollowedLog {
  /** Waits for the rest of the log. */
  close(): Promise<void>;
}

/** Passes each line of both streams of a run to a function. A broken connection is ignored. */
export function followLog(client: ServiceClient, runId: string, onLine: (line: string) => void): FollowedLog {
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
