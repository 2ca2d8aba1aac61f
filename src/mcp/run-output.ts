import { isAscii, isUtf8 } from 'node:buffer';

import type { RunOutputs, StreamName } from '../runs/output/run-outputs.ts';
import type { BriefRun } from '../runs/run-record.ts';
import { gb18030PartSteps } from '../shared/decode-text.ts';
import { textOf } from '../shared/json.ts';
import { inTurns } from '../shared/steps.ts';

/** A part of a stream. Offsets are bytes of the whole stream. */
export interface OutputText {
  readonly text: string;
  readonly from: number;
  /** Where the next part begins. */
  readonly to: number;
  /** All bytes that the script has written so far. */
  readonly endBytes: number;
  /** Whether more output may follow. */
  readonly isLive: boolean;
}

interface WantedPart {
  readonly stream: StreamName;
  /** Null: the end of the stream. */
  readonly from: number | null;
  readonly mostBytes: number;
}

/** The output of an ended run, all of which is known. */
export function wholeOutput(text: string): OutputText {
  const endBytes = Buffer.byteLength(text);
  return { text, from: 0, to: endBytes, endBytes, isLive: false };
}

/** Reads a part of the output of a run as text. */
export async function readOutput(
  outputs: Pick<RunOutputs, 'extent' | 'read'>,
  run: BriefRun,
  { stream, from, mostBytes }: WantedPart,
): Promise<OutputText> {
  const { endBytes, isLive } = await outputs.extent(run, stream);
  const start = Math.min(from ?? Math.max(0, endBytes - mostBytes), endBytes);
  const until = Math.min(start + mostBytes, endBytes);
  // Bytes that follow each other, and between them the marks of missing ones.
  const sections: (Uint8Array[] | string)[] = [];
  const request = { runId: run.runId, stream, from: start, until };
  // The range is available already, so reading does not wait.
  for await (const piece of outputs.read(request, new AbortController().signal)) {
    const last = sections.at(-1);
    if ('missing' in piece) sections.push(`\n[${piece.missing} bytes were not kept]\n`);
    else if (Array.isArray(last)) last.push(piece.bytes);
    else sections.push([piece.bytes]);
  }
  const isEnd = until === endBytes && !isLive;
  let text = '';
  let skipped = 0;
  let cut = 0;
  for (const [index, section] of sections.entries()) {
    if (typeof section === 'string') {
      text += section;
      continue;
    }
    const isFirst = index === 0;
    const isLast = index === sections.length - 1;
    const edges = { isCutAtStart: start > 0 || !isFirst, isCutAtEnd: !(isLast && isEnd) };
    const part = await decodePart(Buffer.concat(section), edges);
    text += part.text;
    if (isFirst) ({ skipped } = part);
    if (isLast) ({ cut } = part);
  }
  return { text, from: start + skipped, to: until - cut, endBytes, isLive };
}

interface Edges {
  readonly isCutAtStart: boolean;
  readonly isCutAtEnd: boolean;
}

/** Decodes UTF-8, or GB18030 like all output that Hob returns, without the characters that are not complete. */
async function decodePart(
  bytes: Uint8Array,
  edges: Edges,
): Promise<{ text: string; skipped: number; cut: number }> {
  const skipped = edges.isCutAtStart ? partAtStart(bytes) : 0;
  const incomplete = partAtEnd(bytes);
  const complete = bytes.subarray(skipped, bytes.length - incomplete);
  const cut = edges.isCutAtEnd ? incomplete : 0;
  // A program that is killed may leave an incomplete character behind UTF-8.
  const isProven = cut === incomplete || !isAscii(complete);
  if (!isUtf8(complete) || !isProven) {
    const part = await inTurns(gb18030PartSteps(bytes, edges));
    if (part !== null) {
      const { utf8, skippedBytes, usedBytes } = part;
      return { text: textOf(utf8), skipped: skippedBytes, cut: bytes.length - skippedBytes - usedBytes };
    }
  }
  return { text: textOf(bytes.subarray(skipped, bytes.length - cut)), skipped, cut };
}

/** The bytes of the longest character of UTF-8. */
export const longestCharacter = 4;

function isFollowing(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Bytes of a character that began before. */
function partAtStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < longestCharacter - 1 && isFollowing(bytes[count])) count++;
  return count;
}

/** Bytes of a character that is not complete. */
function partAtEnd(bytes: Uint8Array): number {
  let following = 0;
  while (following < longestCharacter - 1 && isFollowing(bytes.at(-1 - following))) following++;
  const first = bytes.at(-1 - following) ?? 0;
  const expected = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  return expected > following ? following + 1 : 0;
}
