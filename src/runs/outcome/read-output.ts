import type { StreamCapture } from '../../execution/messages.ts';
import { partToUtf8, textOf, toUtf8, utf8PartSteps, utf8Steps } from '../../shared/decode-text.ts';
import { type JsonText, jsonLiteral, literalSteps } from '../../shared/json-text.ts';
import { inTurns } from '../../shared/steps.ts';
import { readLogPart } from '../output/read-log.ts';

const lastLinesBytes = 4096;
const lastLinesCount = 10;

/**
 * The captured output of a stream as a JSON string literal of at most `maxBytes`: the beginning and the end, with a
 * line between them that states how many bytes are missing and where they are. An omission is always marked.
 */
export async function readOutput(path: string, capture: StreamCapture, maxBytes: number): Promise<JsonText> {
  const kept = capture.headBytes + capture.tailBytes;
  if (capture.bytes === 0) return jsonLiteral();
  if (capture.text !== undefined && capture.bytes <= maxBytes) return jsonLiteral(Buffer.from(capture.text));
  if (kept === capture.bytes && kept <= maxBytes) {
    const all = await readLogPart(path, 0, kept);
    if (all.length === kept) return inTurns(literalSteps(await inTurns(utf8Steps(all))));
  }

  const headBytes = Math.min(
    capture.headBytes,
    capture.tailBytes > 0 || kept > maxBytes ? Math.ceil(maxBytes / 2) : maxBytes,
  );
  const tailBytes = Math.min(kept - headBytes, Math.floor(maxBytes / 2), tailAvailable(capture, headBytes));
  const [head, tail] = await Promise.all([
    readLogPart(path, 0, headBytes),
    readLogPart(path, kept - tailBytes, tailBytes),
  ]);
  const beginning = await inTurns(utf8PartSteps(head, 'end'));
  const end = await inTurns(utf8PartSteps(tail, 'start'));
  const isIntact = head.length === headBytes && tail.length === tailBytes;
  const mark = markOf({
    missing: capture.bytes - beginning.usedBytes - end.usedBytes,
    log: isIntact ? { path, isWhole: kept === capture.bytes } : null,
  });
  return inTurns(literalSteps(beginning.utf8, Buffer.from(mark), end.utf8));
}

/** The literal for output that could not be read: it marks all bytes as missing. */
export function unreadOutput(path: string, capture: StreamCapture): JsonText {
  if (capture.bytes === 0) return jsonLiteral();
  const isWhole = capture.headBytes + capture.tailBytes === capture.bytes;
  return jsonLiteral(Buffer.from(markOf({ missing: capture.bytes, log: { path, isWhole } })));
}

/** The line that replaces the missing part of an output. */
export function leftOutLine(missing: number): string {
  return `\n${leftOut(missing)}\n`;
}

function leftOut(missing: number): string {
  return `[... ${missing} bytes left out by Hob ...]`;
}

/** The line that also names the log with the missing part. The log may be removed, or incomplete too. */
function markOf({
  missing,
  log,
}: {
  missing: number;
  log: { path: string; isWhole: boolean } | null;
}): string {
  if (log === null) return leftOutLine(missing);
  return `\n${leftOut(missing)} ${log.isWhole ? 'All of it is' : 'What was kept of it is'} in ${log.path}\n`;
}

/** If the disk was full, only the beginning is kept: its last bytes are not the end of the output. */
function tailAvailable(capture: StreamCapture, headBytes: number): number {
  if (capture.tailBytes > 0) return capture.tailBytes;
  return capture.headBytes === capture.bytes ? capture.headBytes - headBytes : 0;
}

/** The last lines of a stream, for error messages. */
export async function readLastLines(path: string, capture: StreamCapture): Promise<string> {
  const kept = capture.headBytes + capture.tailBytes;
  const bytes = Math.min(kept, lastLinesBytes);
  const end = await readLogPart(path, kept - bytes, bytes);
  const utf8 = bytes === kept ? toUtf8(end) : partToUtf8(end, 'start').utf8;
  return textOf(utf8).trimEnd().split(/\r?\n/).slice(-lastLinesCount).join('\n');
}
