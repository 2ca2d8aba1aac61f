import { Worker } from 'node:worker_threads';

/** The heap of the dictionary, with room to spare. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

/**
 * Replaces the Chinese characters of each name with their pinyin, in a thread that then ends: the dictionary takes 30 MB of memory and
 * hundreds of milliseconds to load. `entry` is the entry file of the thread.
 */
export function romanizeInThread(entry: URL, names: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: names, env: {}, execArgv: [], resourceLimits });
    worker.once('message', resolve);
    worker.once('error', reject);
    // This has no effect after a message.
    worker.once('exit', () => reject(new Error('the thread ended without an answer')));
  });
}
