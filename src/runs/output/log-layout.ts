import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { decodeRingState, type RingState, ringFileOf, ringStateBytes } from '../../execution/ring-state.ts';
import { errnoOf } from '../../shared/errors.ts';
import { isOwnFolder } from '../../shared/private-files.ts';
import { whenPossible } from '../../shared/when-possible.ts';
import type { KeptOutput } from '../run-record.ts';

const ringAttempts = 5;

const betweenRingAttemptsMs = 1;

type LogRead = Buffer | { errno: string | undefined };

/** A contiguous range of bytes of a stream in its log. */
export interface Segment {
  /** Offset in the stream, like all offsets. */
  readonly offset: number;
  readonly length: number;
  /** Position in the log; null while the bytes are being moved. */
  readonly position: number | null;
}

/** The available parts of a stream and their positions in the log, in order. Bytes between segments are missing. */
export interface LogLayout {
  /** How many bytes the script has written. */
  readonly endBytes: number;
  readonly segments: readonly Segment[];
}

/** The layout of the log of an executing run. `sizeBytes` is the size of the file, read before the ring state. */
export function liveLayout(sizeBytes: number, ring: RingState | null | 'unclear'): LogLayout {
  if (ring === null) return layout(sizeBytes, [{ offset: 0, length: sizeBytes, position: 0 }]);
  if (ring === 'unclear') return layout(0, []);
  const { headBytes, tailBytes, done, until } = ring;
  const head = { offset: 0, length: headBytes, position: 0 };
  if (ring.phase !== 'ring')
    return layout(done, [head, { offset: done - tailBytes, length: tailBytes, position: null }]);
  const oldest = until - tailBytes;
  // The start of the current pass over the ring. The rest of the ring still contains bytes of the previous pass.
  const round = done - ((done - headBytes) % tailBytes);
  return layout(done, [
    head,
    { offset: oldest, length: round - oldest, position: headBytes + ((oldest - headBytes) % tailBytes) },
    { offset: Math.max(round, oldest), length: done - Math.max(round, oldest), position: headBytes },
  ]);
}

/** The layout of the log of an ended run. Bytes beyond the end of the file are missing. */
export function endedLayout(
  bytes: number,
  { headBytes, tailBytes }: KeptOutput,
  sizeBytes: number,
): LogLayout {
  return layout(bytes, [
    { offset: 0, length: Math.min(headBytes, sizeBytes), position: 0 },
    {
      offset: bytes - tailBytes,
      length: Math.min(tailBytes, sizeBytes - headBytes),
      position: headBytes,
    },
  ]);
}

/** Whether bytes were not overwritten before they were read, given the state of the ring after the read. */
export function wasIntact(offset: number, length: number, ring: RingState | null | 'unclear'): boolean {
  if (ring === null) return true;
  if (ring === 'unclear') return false;
  if (offset + length <= ring.headBytes) return true;
  return ring.phase === 'ring' && ring.until <= Math.max(offset, ring.headBytes) + ring.tailBytes;
}

/** The part to read next; nothing if its length is zero. */
export interface Part {
  readonly offset: number;
  readonly position: number;
  readonly length: number;
}

/**
 * The part at an offset, or the first part after it; the offset `until` if there is none. A reader that was overtaken
 * by the writer of a ring several times skips further ahead each time: at the oldest byte it could never keep ahead of
 * a script that writes at full speed.
 */
export function partAt(layout: LogLayout, at: number, until: number, overtaken = 0): Part {
  const next = segmentAt(layout, at);
  const nothing = { offset: until, position: 0, length: 0 };
  if (next === undefined) return nothing;
  const leeway = (layout.endBytes - next.offset) * (1 - 0.5 ** Math.min(overtaken, 3));
  const offset = next.offset <= at ? at : next.offset + Math.floor(leeway);
  const segment = segmentAt(layout, offset);
  if (segment === undefined || offset >= until) return nothing;
  if (segment.position === null) return { offset, position: 0, length: 0 };
  return {
    offset,
    position: segment.position + offset - segment.offset,
    length: Math.min(segment.offset + segment.length, until) - offset,
  };
}

/** The segment that contains this byte, or the first one after it. */
function segmentAt({ segments }: LogLayout, offset: number): Segment | undefined {
  return segments.find((segment) => segment.offset + segment.length > offset);
}

export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The missing ranges. */
export function gapsOf({ endBytes, segments }: LogLayout): Gap[] {
  const gaps: Gap[] = [];
  let at = 0;
  for (const { offset, length } of [...segments, { offset: endBytes, length: 0 }]) {
    if (offset > at) gaps.push({ from: at, to: offset });
    at = offset + length;
  }
  return gaps;
}

function layout(endBytes: number, segments: readonly Segment[]): LogLayout {
  return { endBytes, segments: segments.filter(({ length }) => length > 0) };
}

/** Reads a part of a log. If the script replaced the log by something else, the bytes count as missing. */
export async function readLogPart(path: string, start: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const part = await whenPossible(() => tryRead(path, start, length), errnoOfRead);
  return part instanceof Uint8Array ? part : Buffer.alloc(0);
}

/** Returns the size of a log; zero if the script replaced it by something else. */
export async function sizeOfLog(path: string): Promise<number> {
  const file = isOwnFolder(dirname(path)) ? await lstat(path).catch(() => null) : null;
  return file?.isFile() ? file.size : 0;
}

/**
 * Reads the state of the ring of a log; null if the log has no ring. `unclear` means that the state file is not valid, even after
 * several attempts. A single attempt may read it while it is being written.
 */
export async function readRingState(log: string): Promise<RingState | null | 'unclear'> {
  const path = ringFileOf(log);
  for (let attempt = 1; ; attempt++) {
    const bytes = await whenPossible(() => tryRead(path, 0, ringStateBytes), errnoOfRead);
    if (!(bytes instanceof Uint8Array)) return bytes.errno === 'ENOENT' ? null : 'unclear';
    const state = decodeRingState(bytes);
    if (state !== null) return state;
    if (attempt === ringAttempts) return 'unclear';
    await wait(betweenRingAttemptsMs);
  }
}

function errnoOfRead(result: LogRead): string | undefined {
  return result instanceof Uint8Array ? undefined : result.errno;
}

async function tryRead(path: string, start: number, length: number): Promise<LogRead> {
  if (!isOwnFolder(dirname(path))) return { errno: 'ENOENT' };
  try {
    // Opening must not block on a FIFO, and must not follow a link out of the run's folder.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!(await handle.stat()).isFile()) return Buffer.alloc(0);
      const buffer = Buffer.allocUnsafe(length);
      const { bytesRead } = await handle.read(buffer, 0, length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { errno: errnoOf(error) };
  }
}
