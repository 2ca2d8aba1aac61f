import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

import type { ContentId } from '../../hubs/hub.ts';
import { ContentHash, type FromHashThread, type ToHashThread } from './content-hash.ts';

interface HashFileOptions {
  readonly hash: RunningHash;
  readonly batches: Batches;
  readonly signal: AbortSignal;
}

/** A hash that is updated while the bytes of a file arrive. */
export interface RunningHash {
  /** The caller must not change the bytes until the promise settles, but may call `update` again before that. */
  update(bytes: Uint8Array): Promise<void>;
  /** Whether the bytes have the announced hash. Call once, after the last byte. */
  isRight(): Promise<boolean>;
}

/** Large enough for little overhead, small enough to stay in the CPU cache until hashed. Four times this size is half as fast. */
export const batchBytes = 256 * 1024;

/**
 * A pool of buffers for downloads. Buffers are reused, because the garbage collector does not count shared memory: with new buffers
 * for each file, memory use would grow without limit.
 */
export class Batches {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(batchBytes));
  }

  /** Returns a batch to the pool. The caller must not use it afterwards. */
  giveBack(batch: Uint8Array): void {
    this.#free.push(batch);
  }
}

/** Hashing a smaller file takes less time than starting a thread. */
const smallBytes = 16 * 1024 * 1024;
/** The thread needs little heap, because the bytes to hash are in shared memory. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 };

interface Waiting {
  readonly resolve: (answer: FromHashThread) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Hashes the files of one download. Large files are hashed in a thread: hashing uses as much CPU time as the rest of a download, and
 * would delay all other requests to the service.
 */
export class Hashing {
  readonly #entry: URL;
  #worker: Worker | null = null;
  #failure: { readonly error: unknown } | null = null;
  /** Callers that wait for an answer of the thread, in the order of their messages. */
  readonly #waiting: Waiting[] = [];
  #started = 0;

  /** `entry` is the entry file of the thread. */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  begin(content: ContentId, sizeBytes: number): RunningHash {
    return sizeBytes < smallBytes ? hashInline(content, sizeBytes) : this.#hashInThread(content, sizeBytes);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #hashInThread(content: ContentId, sizeBytes: number): RunningHash {
    const id = this.#started++;
    const started = this.#ask({ type: 'begin', id, content, sizeBytes });
    // The next `update` or `isRight` reports the failure.
    started.catch(() => {});
    return {
      update: async (bytes) => {
        await this.#ask({ type: 'update', id, bytes });
      },
      isRight: async () => (await this.#ask({ type: 'end', id })) === true,
    };
  }

  #ask(message: ToHashThread): Promise<FromHashThread> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure.error);
      try {
        this.#worker ??= this.#start();
        this.#worker.postMessage(message);
        this.#waiting.push({ resolve, reject });
      } catch (error) {
        reject(error);
      }
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { env: {}, execArgv: [], resourceLimits });
    // The thread must not keep a stopping service alive.
    worker.unref();
    worker.on('message', (answer: FromHashThread) => this.#waiting.shift()?.resolve(answer));
    worker.once('error', (error) => this.#fail(error));
    worker.once('exit', () => this.#fail(new Error('the hashing thread has exited')));
    return worker;
  }

  /** Rejects all current and later calls, because the state of the hashes is lost. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure.error);
  }
}

function hashInline(content: ContentId, sizeBytes: number): RunningHash {
  const hash = new ContentHash(content, sizeBytes);
  return { update: async (bytes) => hash.update(bytes), isRight: async () => hash.isRight() };
}

/** Hashes the first `sizeBytes` bytes of a file. Returns the number of bytes read, which is less if the file is shorter. */
export async function hashFile(
  handle: FileHandle,
  sizeBytes: number,
  { hash, batches, signal }: HashFileOptions,
): Promise<number> {
  const batch = batches.take();
  let at = 0;
  try {
    while (at < sizeBytes) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(batch, 0, Math.min(batch.length, sizeBytes - at), at);
      if (bytesRead === 0) break;
      await hash.update(batch.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    batches.giveBack(batch);
  }
  return at;
}
