import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { decodeRingState, type RingState, ringFileOf, ringStateBytes } from '../../execution/ring-state.ts';
import { errnoOf } from '../../shared/errors.ts';
import { isOwnFolder } from '../../shared/own-folder.ts';
import { whenPossible } from '../../shared/when-possible.ts';

/** A part of a log. Whatever the script has put in its place counts as bytes that are missing. */
export async function readLogPart(path: string, start: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const read = () => tryRead(path, start, length);
  const part = await whenPossible(read, errnoOfRead);
  return part instanceof Uint8Array ? part : Buffer.alloc(0);
}

/** How much there is of a log; nothing of what the script has put in its place. */
export async function sizeOfLog(path: string): Promise<number> {
  const file = isOwnFolder(dirname(path)) ? await lstat(path).catch(() => null) : null;
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

/** Up to here a part is read sooner than a thread is asked to read it. */
const smallBytes = 64 * 1024;

async function tryRead(path: string, start: number, length: number): Promise<LogRead> {
  if (!isOwnFolder(dirname(path))) return { errno: 'ENOENT' };
  try {
    // Never waits for a writer, and never follows a link out of the run's folder.
    const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!fstatSync(handle).isFile()) return Buffer.alloc(0);
      const buffer = Buffer.allocUnsafe(length);
      const bytesRead =
        length <= smallBytes
          ? readSync(handle, buffer, 0, length, start)
          : (await promisify(read)(handle, buffer, 0, length, start)).bytesRead;
      return buffer.subarray(0, bytesRead);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    return { errno: errnoOf(error) };
  }
}
