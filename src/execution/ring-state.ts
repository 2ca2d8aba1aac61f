import { crc32 } from 'node:zlib';

/**
 * The state of a log whose end is kept in a ring. The executor writes it to a file beside the log, for readers of the
 * log while it is written or after the executor was killed. A log without such a file contains the stream from its
 * start. The file remains after the end of the run: its absence must mean that no byte of the log was ever overwritten.
 */
export interface RingState {
  /**
   * `ring`: byte n of the stream, from `headBytes` on, is at `headBytes + (n - headBytes) % tailBytes`.
   * `ordering`: the ring is being put in order, so no byte after the head can be read.
   * `ordered`: the log consists of the first `headBytes` of the stream, followed by its last `tailBytes`.
   */
  readonly phase: RingPhase;
  readonly headBytes: number;
  readonly tailBytes: number;
  /** How much of the stream has certainly been written; in phase `ordered`, the length of the stream. */
  readonly done: number;
  /**
   * The position up to which the stream may be being written. That write destroys the bytes one ring length before it.
   */
  readonly until: number;
}

const phases = ['ring', 'ordering', 'ordered'] as const;
type RingPhase = (typeof phases)[number];

const checkedBytes = 40;
export const ringStateBytes = checkedBytes + 4;

export function ringFileOf(log: string): string {
  return log.replace(/\.log$/, '.ring');
}

/** The encoding has a fixed length, so that it can be overwritten in place. That needs no space on a full disk. */
export function encodeRingState(state: RingState): Buffer {
  const bytes = Buffer.alloc(ringStateBytes);
  bytes.writeUInt32LE(phases.indexOf(state.phase), 0);
  bytes.writeDoubleLE(state.headBytes, 8);
  bytes.writeDoubleLE(state.tailBytes, 16);
  bytes.writeDoubleLE(state.done, 24);
  bytes.writeDoubleLE(state.until, 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, checkedBytes)), checkedBytes);
  return bytes;
}

/** Returns null for bytes that were read during a write, and for bytes that no executor can have written. */
export function decodeRingState(bytes: Buffer): RingState | null {
  if (bytes.length !== ringStateBytes) return null;
  if (bytes.readUInt32LE(checkedBytes) !== crc32(bytes.subarray(0, checkedBytes))) return null;
  const phase = phases[bytes.readUInt32LE(0)];
  const [headBytes, tailBytes, done, until] = [8, 16, 24, 32].map((at) => bytes.readDoubleLE(at));
  if (phase === undefined || !isCount(headBytes) || !isCount(tailBytes) || !isCount(done) || !isCount(until))
    return null;
  if (until < done || done < headBytes + tailBytes || (phase === 'ring' && tailBytes === 0)) return null;
  return { phase, headBytes, tailBytes, done, until };
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
