import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { decodeRingState, type RingState, ringFileOf, ringStateBytes } from '../../execution/ring-state.ts';
import { errnoOf } from '../../shared/errors.ts';
import { whenPossible } from '../../shared/when-possible.ts';
import { isOwnFolder } from '../own-folder.ts';

/** A part of a log. Whatever the script has put in its place counts as bytes that are missing. */
export async function readLogPart(path: string, start: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const read = () => tryRead(path, start, length);
  const part = await whenPossible(read, errnoOfRead);
  return part instanceof Uint8Array ? part : Buffer.alloc(0);
}

/** How much there is of a log; nothing of what the script has put in its place. */
export async function sizeOfLog(path: string): Promise<number> {
  const file = (await isOwnFolder(dirname(path))) ? await lstat(path).catch(() => null) : null;
  return file?.isFile() ? file.size : 0;
}

const ringAttempts = 5;
const betweenRingAttemptsMs = 1;

/**
 * How the ring of a log stands: null when it has none, and `unclear` when its file says nothing that could be believed, also
 * after a few looks: it may be looked at while it is written.
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
  if (!(await isOwnFolder(dirname(path)))) return { errno: 'ENOENT' };
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
    return { errno: errnoOf(error) };
  }
}
