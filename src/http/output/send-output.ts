import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { leftOutLine } from '../../runs/outcome/read-output.ts';
import type { OutputPiece } from '../../runs/output/run-outputs.ts';
import type { OutputPlan } from './plan-output.ts';

/**
 * Sends an output as fast as its reader takes it: the next piece is read when the last one is on its way. An answer that cannot
 * be what its header says is cut off, so that nobody takes it for complete.
 */
export async function sendOutput(
  raw: ServerResponse,
  plan: OutputPlan,
  pieces: AsyncIterable<OutputPiece>,
  signal: AbortSignal,
): Promise<void> {
  let left = plan.contentLength ?? Number.POSITIVE_INFINITY;
  // The header first: it may be long until there is anything to send.
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

/** Closes the connection without the end that HTTP would have, but not before all is through that was written to it. */
function cutOff(raw: ServerResponse): void {
  if (raw.socket === null) raw.destroy();
  else raw.socket.end();
}
