import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

import type { ContentId } from '../../hubs/hub.ts';

/** The file to hash. The descriptor must stay open until the hash is closed. */
export interface HashTask {
  readonly fd: number;
  readonly content: ContentId;
  readonly sizeBytes: number;
}

/** Compares a file with the hash that the hub announced, while the file is being written. */
export interface FileHash {
  /** The file has its final content up to this offset. */
  advance(offset: number): void;
  /** Whether the whole file has the announced hash. */
  isRight(): Promise<boolean>;
  close(): Promise<void>;
}

const readPart = promisify(read);
/** Small enough to stay in the CPU cache until hashed. */
export const partBytes = 256 * 1024;
/** Hashing a smaller file takes less time than starting a thread. */
const smallBytes = 16 * 1024 * 1024;
/** The thread needs little heap, because it reads the file in small parts. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 };

/**
 * Starts to hash a file. A large file is hashed in a thread: hashing uses as much CPU time as the rest of a download, and would delay
 * all other requests to the service. `entry` is the entry file of the thread.
 */
export function beginHash(task: HashTask, entry: URL, signal: AbortSignal): FileHash {
  if (task.sizeBytes < smallBytes)
    return { advance() {}, isRight: () => hashInline(task, signal), async close() {} };
  const worker = new Worker(entry, { workerData: task, env: {}, execArgv: [], resourceLimits });
  // The thread must not keep a stopping service alive.
  worker.unref();
  const answer = once(worker, 'message', { signal });
  // `isRight` reports a failure. After an abort, no other listener is left.
  answer.catch(() => {});
  worker.on('error', () => {});
  return {
    advance: (offset) => worker.postMessage(offset),
    isRight: async () => (await answer)[0] === true,
    async close() {
      await worker.terminate();
    },
  };
}

/** The hash of a file with this announced hash, before its first byte. */
export function contentHash({ kind }: ContentId, sizeBytes: number): Hash {
  return kind === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${sizeBytes}\0`);
}

async function hashInline({ fd, content, sizeBytes }: HashTask, signal: AbortSignal): Promise<boolean> {
  const hash = contentHash(content, sizeBytes);
  const part = Buffer.allocUnsafe(Math.min(partBytes, sizeBytes));
  for (let at = 0; at < sizeBytes; ) {
    signal.throwIfAborted();
    const { bytesRead } = await readPart(fd, part, 0, Math.min(part.length, sizeBytes - at), at);
    // Another program has cut the file.
    if (bytesRead === 0) return false;
    hash.update(part.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex') === content.hex;
}
