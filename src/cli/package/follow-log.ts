import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

import type { ServiceClient } from '../service-client.ts';

/** So long after the end of the operation its log may take to arrive. */
const lingerMs = 2000;

/** What follows the log of a run, line by line, until it is closed. */
export interface FollowedLog {
  /** Waits for what is still on its way. */
  close(): Promise<void>;
}

/** Tells each line that a run writes, whichever stream it goes to. A log that breaks off is no reason to fail. */
export function followLog(client: ServiceClient, runId: string, tell: (line: string) => void): FollowedLog {
  const controller = new AbortController();
  const streams = (['stdout', 'stderr'] as const).map(async (stream) => {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    try {
      for await (const bytes of client.follow(runId, stream, controller.signal)) {
        const lines = (rest + decoder.write(Buffer.from(bytes))).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) tell(lastDrawn(line));
      }
    } catch {
      // The service has gone, which the operation itself says, or nobody reads any more.
    }
    if (rest !== '') tell(lastDrawn(rest));
  });
  return {
    async close() {
      const timer = setTimeout(() => controller.abort(), lingerMs);
      await Promise.all(streams);
      clearTimeout(timer);
    },
  };
}

/** Of a line that a tool has drawn over and over, such as a bar, what stood there at last. */
function lastDrawn(line: string): string {
  const drawn = line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return stripVTControlCharacters(drawn);
}
