import type { RingState } from '../../execution/ring-state.ts';
import type { KeptOutput } from '../run-record.ts';

/** Bytes of a stream that are in its log, one after the other. */
export interface Segment {
  /** In the stream, as are all offsets. */
  readonly offset: number;
  readonly length: number;
  /** In the log; null while they are being moved. */
  readonly position: number | null;
}

/** What there is of a stream, and where in its log: in order, and what is between segments is missing. */
export interface LogLayout {
  /** How much the script has written. */
  readonly endBytes: number;
  readonly segments: readonly Segment[];
}

/** The log of a run that lasts. `sizeBytes` is that of the file, looked at before the ring was. */
export function liveLayout(sizeBytes: number, ring: RingState | null | 'unclear'): LogLayout {
  if (ring === null) return layout(sizeBytes, [{ offset: 0, length: sizeBytes, position: 0 }]);
  if (ring === 'unclear') return layout(0, []);
  const { headBytes, tailBytes, done, until } = ring;
  const head = { offset: 0, length: headBytes, position: 0 };
  if (ring.phase !== 'ring')
    return layout(done, [head, { offset: done - tailBytes, length: tailBytes, position: null }]);
  const oldest = until - tailBytes;
  // The round of the ring that is being written, and what is left of the one before.
  const round = done - ((done - headBytes) % tailBytes);
  return layout(done, [
    head,
    { offset: oldest, length: round - oldest, position: headBytes + ((oldest - headBytes) % tailBytes) },
    { offset: Math.max(round, oldest), length: done - Math.max(round, oldest), position: headBytes },
  ]);
}

/** The log of a run that has ended. What the file is too short for is missing. */
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

/** Whether so many bytes were still there after they had been read, when the ring stood like this then. */
export function wasIntact(offset: number, length: number, ring: RingState | null | 'unclear'): boolean {
  if (ring === null) return true;
  if (ring === 'unclear') return false;
  if (offset + length <= ring.headBytes) return true;
  return ring.phase === 'ring' && ring.until <= Math.max(offset, ring.headBytes) + ring.tailBytes;
}

/** What to read next; nothing when its length is zero. */
export interface Part {
  readonly offset: number;
  readonly position: number;
  readonly length: number;
}

/**
 * The bytes at an offset, or the first ones behind it; the offset `until` when there are none. Whoever was overtaken by the writer of a ring, again and again, begins further ahead of it each time: at
 * the oldest byte there is no staying ahead of a script that writes as fast as it can.
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

/** The segment that has this byte, or else the first one behind it. */
function segmentAt({ segments }: LogLayout, offset: number): Segment | undefined {
  return segments.find((segment) => segment.offset + segment.length > offset);
}

export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** What is missing. */
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
