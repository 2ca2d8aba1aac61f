import { constants } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';

import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import { encodeRingState, type RingState, ringFileOf } from '../../execution/ring-state.ts';
import { rotateFile } from '../../shared/rotate-file.ts';
import { readRingState, sizeOfLog } from '../output/read-log.ts';
import type { RunFolder } from '../run-folder.ts';

/** Nobody counted what a lost run wrote; what is in its logs is what is known of it. */
export async function withKeptOutput(end: RunEnd, folder: RunFolder): Promise<RunEnd> {
  const [stdout, stderr] = await Promise.all([keptIn(folder.stdoutLog), keptIn(folder.stderrLog)]);
  return { ...end, stdout, stderr };
}

/** What there is in a log of which nobody said how much was written to it. */
export async function keptIn(log: string): Promise<StreamCapture> {
  const [sizeBytes, ring] = await Promise.all([sizeOfLog(log), readRingState(log)]);
  if (ring === null) return { bytes: sizeBytes, headBytes: sizeBytes, tailBytes: 0 };
  // A ring about which nothing is known: the first half of the log is never written over.
  if (ring === 'unclear') return { bytes: sizeBytes, headBytes: Math.ceil(sizeBytes / 2), tailBytes: 0 };
  const headBytes = Math.min(ring.headBytes, sizeBytes);
  const isCut = sizeBytes < ring.headBytes + ring.tailBytes;
  if (ring.phase === 'ordered' && !isCut) return { bytes: ring.done, headBytes, tailBytes: ring.tailBytes };
  const tailBytes = ring.phase === 'ring' && !isCut ? await putInOrder(log, ring).catch(() => 0) : 0;
  return { bytes: ring.done, headBytes, tailBytes };
}

/** Does what the executor had no time for. Returns how much of the end of the output there is now, behind its beginning. */
async function putInOrder(log: string, ring: RingState): Promise<number> {
  const handle = await open(log, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!(await handle.stat()).isFile()) return 0;
    // It was killed while it wrote so many bytes, some of them, in the place of the oldest.
    const unsureBytes = Math.min(ring.until - ring.done, ring.tailBytes);
    const tailBytes = ring.tailBytes - unsureBytes;
    const oldest = (ring.done + unsureBytes - ring.headBytes) % ring.tailBytes;
    await tell(log, { ...ring, phase: 'ordering' });
    await rotateFile(handle.fd, { start: ring.headBytes, length: ring.tailBytes, by: oldest });
    await cutTo(handle, ring.headBytes + tailBytes);
    await tell(log, { ...ring, phase: 'ordered', tailBytes, until: ring.done });
    return tailBytes;
  } finally {
    await handle.close();
  }
}

async function cutTo(handle: FileHandle, sizeBytes: number): Promise<void> {
  const { size } = await handle.stat();
  if (size > sizeBytes) await handle.truncate(sizeBytes);
}

/** For the next service, should this one be killed before the end of the run is on record. */
async function tell(log: string, state: RingState): Promise<void> {
  const flag = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  await writeFile(ringFileOf(log), encodeRingState(state), { flag });
}
