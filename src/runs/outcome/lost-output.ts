import { constants } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import { encodeRingState, type RingState, ringFileOf } from '../../execution/ring-state.ts';
import { rotateFile } from '../../shared/rotate-file.ts';
import { readRingState, sizeOfLog } from '../output/log-layout.ts';
import type { RunFolder } from '../run.ts';

/** Takes the size of the output from the logs, because no process counted the output of a lost run. */
export async function withKeptOutput(end: RunEnd, folder: RunFolder): Promise<RunEnd> {
  const [stdout, stderr] = await Promise.all([keptIn(folder.stdoutLog), keptIn(folder.stderrLog)]);
  return { ...end, stdout, stderr };
}

/** Determines the captured output of a log when no count of its bytes exists. */
export async function keptIn(log: string): Promise<StreamCapture> {
  const [sizeBytes, ring] = await Promise.all([sizeOfLog(log), readRingState(log)]);
  if (ring === null) return { bytes: sizeBytes, headBytes: sizeBytes, tailBytes: 0 };
  // The state of the ring is unknown, but the first half of the log is never overwritten.
  if (ring === 'unclear') return { bytes: sizeBytes, headBytes: Math.ceil(sizeBytes / 2), tailBytes: 0 };
  const headBytes = Math.min(ring.headBytes, sizeBytes);
  const isCut = sizeBytes < ring.headBytes + ring.tailBytes;
  if (ring.phase === 'ordered' && !isCut) return { bytes: ring.done, headBytes, tailBytes: ring.tailBytes };
  const tailBytes = ring.phase === 'ring' && !isCut ? await putInOrder(log, ring).catch(() => 0) : 0;
  return { bytes: ring.done, headBytes, tailBytes };
}

/**
 * Reorders the ring, as the executor would have done. Returns how many bytes of the end of the output now follow its
 * beginning.
 */
async function putInOrder(log: string, ring: RingState): Promise<number> {
  const handle = await open(log, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!(await handle.stat()).isFile()) return 0;
    // The executor was killed while it overwrote the oldest bytes. Up to this many may be overwritten already.
    const unsureBytes = Math.min(ring.until - ring.done, ring.tailBytes);
    const tailBytes = ring.tailBytes - unsureBytes;
    const oldest = (ring.done + unsureBytes - ring.headBytes) % ring.tailBytes;
    await writeRingState(log, { ...ring, phase: 'ordering' });
    await rotateFile(handle.fd, { start: ring.headBytes, length: ring.tailBytes, by: oldest });
    await cutTo(handle, ring.headBytes + tailBytes);
    await writeRingState(log, { ...ring, phase: 'ordered', tailBytes, until: ring.done });
    return tailBytes;
  } finally {
    await handle.close();
  }
}

async function cutTo(handle: FileHandle, sizeBytes: number): Promise<void> {
  const { size } = await handle.stat();
  if (size > sizeBytes) await handle.truncate(sizeBytes);
}

/** Records the state for the next service, in case this one is killed before the end of the run is on record. */
async function writeRingState(log: string, state: RingState): Promise<void> {
  const flag = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  await writeFile(ringFileOf(log), encodeRingState(state), { flag });
}
