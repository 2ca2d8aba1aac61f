import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { decodeRingState, type RingState, ringFileOf, ringStateBytes } from '../../execution/ring-state.ts';
import { errnoOf } from '../../shared/errors.ts';
import { isOwnFolder } from '../../shared/own-folder.ts';
import { whenPossible } from '../../shared/when-possible.ts';

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

const ringAttempts = 5;
const betweenRingAttemptsMs = 1;

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

type LogRead = Buffer | { errno: string | undefined };

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
