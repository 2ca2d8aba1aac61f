import type { RunOutputs, StreamName } from '../runs/output/run-outputs.ts';
import type { BriefRun } from '../runs/run-record.ts';

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
  const pieces: (Uint8Array | string)[] = [];
  const request = { runId: run.runId, stream, from: start, until };
  // The range is available already, so reading does not wait.
  for await (const piece of outputs.read(request, new AbortController().signal))
    pieces.push('missing' in piece ? `\n[${piece.missing} bytes were not kept]\n` : piece.bytes);
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  const skipped = start === 0 ? 0 : partAtStart(bytes);
  const cut = until === endBytes && !isLive ? 0 : partAtEnd(bytes);
  return {
    text: bytes.subarray(skipped, bytes.length - cut).toString('utf8'),
    from: start + skipped,
    to: until - cut,
    endBytes,
    isLive,
  };
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
