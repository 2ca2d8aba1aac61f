import { crc32 } from 'node:zlib';

/**
 * How the log of a stream stands once its end is kept in a ring: written by the executor beside the log, for whoever reads the
 * log while it is written, or after the executor was killed. A log without such a file is simply the stream from its start.
 * The file stays when the run has ended: that it is not there must mean that nothing in the log was ever written over.
 */
export interface RingState {
  /**
   * `ring`: byte n of the stream, from `headBytes` on, is at `headBytes + (n - headBytes) % tailBytes`.
   * `ordering`: the ring is being put in order, so nothing behind the head can be read.
   * `ordered`: the log is the first `headBytes` of the stream, and then its last `tailBytes`.
   */
  readonly phase: RingPhase;
  readonly headBytes: number;
  readonly tailBytes: number;
  /** How much of the stream has certainly been written; when it is in order, how much there was. */
  readonly done: number;
  /** Up to where the stream may be being written, which destroys what is a whole ring behind. */
  readonly until: number;
}

const phases = ['ring', 'ordering', 'ordered'] as const;
type RingPhase = (typeof phases)[number];

const checkedBytes = 40;
export const ringStateBytes = checkedBytes + 4;

export function ringFileOf(log: string): string {
  return log.replace(/\.log$/, '.ring');
}

/** Always of the same length, so that it can be written over in place, which needs no room on a full disk. */
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

/** Null for what was read while it was being written, and for what no executor can have written. */
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
