import { RefusedError, type ServiceClient } from '../service-client.ts';
import { pathOfRun } from './pick-run.ts';

const lineEnd = 0x0a;
/** Estimated bytes per line. If the first read holds too few lines, a larger one follows. */
const bytesALine = 200;
const leastBytes = 16 * 1024;
const growth = 8;

export interface LogPart {
  readonly bytes: Buffer;
  /** End offset of this part in the whole output of the stream. */
  readonly end: number;
}

/** Reads the output of a stream so far: all of it, or its last lines. */
export async function readLog(
  client: ServiceClient,
  runId: string,
  { stream, lines }: { stream: 'stdout' | 'stderr'; lines: number | null },
): Promise<LogPart> {
  const path = `${pathOfRun(runId)}/${stream}`;
  if (lines === null) {
    const bytes = Buffer.from(await (await client.open(path)).arrayBuffer());
    return { bytes, end: bytes.length };
  }
  for (let wanted = Math.max(leastBytes, lines * bytesALine); ; wanted *= growth) {
    const answer = await lastBytes(client, path, wanted);
    if (answer === null) return { bytes: Buffer.alloc(0), end: 0 };
    const bytes = Buffer.from(await answer.arrayBuffer());
    const tail = lastLines(bytes, lines);
    const end = endIn(answer.headers.get('content-range')) ?? bytes.length;
    if (tail.length < bytes.length || bytes.length < wanted) return { bytes: tail, end };
  }
}

/** Null for an empty stream, for which the service refuses any byte range. */
async function lastBytes(client: ServiceClient, path: string, count: number): Promise<Response | null> {
  return client.open(path, { headers: { range: `bytes=-${count}` } }).catch((error: unknown) => {
    if (error instanceof RefusedError && error.code === 'range-not-satisfiable') return null;
    throw error;
  });
}

function lastLines(bytes: Buffer, count: number): Buffer {
  if (count === 0) return bytes.subarray(bytes.length);
  // Skip the line feed that ends the last line.
  let at = bytes.length - 1;
  for (let found = 0; found < count; found++) {
    at = at <= 0 ? -1 : bytes.lastIndexOf(lineEnd, at - 1);
    if (at < 0) return bytes;
  }
  return bytes.subarray(at + 1);
}

/** `bytes 10-19/*` ends before byte 20. */
function endIn(range: string | null): number | null {
  const [, last] = /^bytes \d+-(\d+)\//.exec(range ?? '') ?? [];
  return last === undefined ? null : Number(last) + 1;
}
