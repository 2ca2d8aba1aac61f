import { Worker } from 'node:worker_threads';
import type { ContentId } from '../../hubs/hub.ts';
import { ContentHash } from './content-hash.ts';
import type { FromHashThread, ToHashThread } from './hash-messages.ts';
import type { RunningHash } from './running-hash.ts';

/** Below this all of it is hashed in less time than it takes to start a thread. */
const smallBytes = 16 * 1024 * 1024;
/** What is hashed is not on the heap of the thread. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 };

interface Waiting {
  readonly resolve: (answer: FromHashThread) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Hashes the files of one download. Large ones in a thread: hashing takes as much of a processor as all else that is done with their bytes,
 * and would hold up everybody whom the service answers.
 */
export class Hashing {
  readonly #entry: URL;
  #worker: Worker | null = null;
  #failure: { readonly error: unknown } | null = null;
  /** Whoever waits for an answer of the thread, in the order of the questions. */
  readonly #waiting: Waiting[] = [];
  #begun = 0;

  /** `entry` is the file that the thread runs. */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  begin(content: ContentId, sizeBytes: number): RunningHash {
    return sizeBytes < smallBytes ? hashHere(content, sizeBytes) : this.#hashInThread(content, sizeBytes);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #hashInThread(content: ContentId, sizeBytes: number): RunningHash {
    const id = this.#begun++;
    const begun = this.#ask({ type: 'begin', id, content, sizeBytes });
    // Whoever hands over bytes is told.
    begun.catch(() => {});
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
    // A service that stops does not wait for it.
    worker.unref();
    worker.on('message', (answer: FromHashThread) => this.#waiting.shift()?.resolve(answer));
    worker.once('error', (error) => this.#fail(error));
    worker.once('exit', () => this.#fail(new Error('the hashing thread has exited')));
    return worker;
  }

  /** What it knew of the files is lost. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure.error);
  }
}

function hashHere(content: ContentId, sizeBytes: number): RunningHash {
  const hash = new ContentHash(content, sizeBytes);
  return {
    update: async (bytes) => hash.update(bytes),
    isRight: async () => hash.isRight(),
  };
}
