import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { leftOutLine } from '../../runs/outcome/read-output.ts';
import type { OutputPiece } from '../../runs/output/run-outputs.ts';
import type { OutputPlan } from './plan-output.ts';

/**
 * Sends output at the speed of its reader: reads the next piece when the previous one is written. If the answer cannot match its
 * header, closes the connection early, so that the reader does not take the answer for complete.
 */
export async function sendOutput(
  raw: ServerResponse,
  plan: OutputPlan,
  pieces: AsyncIterable<OutputPiece>,
  signal: AbortSignal,
): Promise<void> {
  let left = plan.contentLength ?? Number.POSITIVE_INFINITY;
  // Send the header now: the first output may come much later.
  raw.flushHeaders();
  for await (const piece of pieces) {
    if ('missing' in piece && !plan.withLines) {
      cutOff(raw);
      return;
    }
    const bytes = 'missing' in piece ? Buffer.from(leftOutLine(piece.missing)) : piece.bytes;
    left -= bytes.length;
    if (left < 0 || signal.aborted) break;
    if (!raw.write(bytes)) await once(raw, 'drain', { signal }).catch(() => {});
  }
  if (signal.aborted) raw.destroy();
  else if (plan.contentLength !== null && left !== 0) cutOff(raw);
  else raw.end();
}

/** Closes the connection after the data already written, without the end marker of HTTP. */
function cutOff(raw: ServerResponse): void {
  if (raw.socket === null) raw.destroy();
  else raw.socket.end();
}
