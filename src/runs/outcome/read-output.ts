import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

import type { StreamCapture } from '../../execution/messages.ts';
import { partToUtf8, textOf, toUtf8 } from '../../shared/decode-text.ts';
import { errnoOf } from '../../shared/errors.ts';
import { type JsonText, jsonLiteral } from '../../shared/json-text.ts';
import { whenPossible } from '../../shared/when-possible.ts';

const lastLinesBytes = 4096;
const lastLinesCount = 10;

/**
 * The captured output of a stream as a JSON string literal, at most `maxBytes` of it: the beginning and the end, with a line
 * between them that says how much is missing, and where it is. Nothing is ever left out without saying so.
 */
export async function readOutput(path: string, capture: StreamCapture, maxBytes: number): Promise<JsonText> {
  const kept = capture.headBytes + capture.tailBytes;
  if (capture.bytes === 0) return jsonLiteral();
  if (kept === capture.bytes && kept <= maxBytes) {
    const all = await readRange(path, 0, kept);
    if (all.length === kept) return jsonLiteral(toUtf8(all));
  }

  const headBytes = Math.min(
    capture.headBytes,
    capture.tailBytes > 0 || kept > maxBytes ? Math.ceil(maxBytes / 2) : maxBytes,
  );
  const tailBytes = Math.min(kept - headBytes, Math.floor(maxBytes / 2), tailAvailable(capture, headBytes));
  const [head, tail] = await Promise.all([
    readRange(path, 0, headBytes),
    readRange(path, kept - tailBytes, tailBytes),
  ]);
  const beginning = partToUtf8(head, 'end');
  const end = partToUtf8(tail, 'start');
  const isIntact = head.length === headBytes && tail.length === tailBytes;
  const mark = markOf({
    missing: capture.bytes - beginning.usedBytes - end.usedBytes,
    log: isIntact ? { path, isWhole: kept === capture.bytes } : null,
  });
  return jsonLiteral(beginning.utf8, Buffer.from(mark), end.utf8);
}

/** The output that nobody could read, for whatever reason: all of it is missing. */
export function unreadOutput(path: string, capture: StreamCapture): JsonText {
  if (capture.bytes === 0) return jsonLiteral();
  const isWhole = capture.headBytes + capture.tailBytes === capture.bytes;
  return jsonLiteral(Buffer.from(markOf({ missing: capture.bytes, log: { path, isWhole } })));
}

/** The line in the place of what is left out. The log may be gone, or not have all of it either. */
function markOf({
  missing,
  log,
}: {
  missing: number;
  log: { path: string; isWhole: boolean } | null;
}): string {
  const mark = `[... ${missing} bytes left out by Hob ...]`;
  if (log === null) return `\n${mark}\n`;
  return `\n${mark} ${log.isWhole ? 'All of it is' : 'What was kept of it is'} in ${log.path}\n`;
}

/** When the disk filled up, what is kept is the beginning only: its last bytes are not the end of the output. */
function tailAvailable(capture: StreamCapture, headBytes: number): number {
  if (capture.tailBytes > 0) return capture.tailBytes;
  return capture.headBytes === capture.bytes ? capture.headBytes - headBytes : 0;
}

/** The last lines of a stream, for a message about what went wrong. */
export async function readLastLines(path: string, capture: StreamCapture): Promise<string> {
  const kept = capture.headBytes + capture.tailBytes;
  const bytes = Math.min(kept, lastLinesBytes);
  const end = await readRange(path, kept - bytes, bytes);
  const utf8 = bytes === kept ? toUtf8(end) : partToUtf8(end, 'start').utf8;
  return textOf(utf8).trimEnd().split(/\r?\n/).slice(-lastLinesCount).join('\n');
}

/** A part of a log. Whatever the script has put in its place counts as bytes that are missing. */
async function readRange(path: string, start: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const read = () => tryRead(path, start, length);
  const part = await whenPossible(read, (result) =>
    result instanceof Uint8Array ? undefined : errnoOf(result.error),
  );
  return part instanceof Uint8Array ? part : Buffer.alloc(0);
}

async function tryRead(path: string, start: number, length: number): Promise<Buffer | { error: unknown }> {
  try {
    // Never waits for a writer, and never follows a link out of the run's folder.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!(await handle.stat()).isFile()) return Buffer.alloc(0);
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { error };
  }
}
