import { parentPort, workerData } from 'node:worker_threads';

import { DatabaseSync } from '@photostructure/sqlite';

/**
 * The entry file of the thread that makes checkpoints: one for each message `true`. The message `false` ends the
 * thread.
 */
const database = new DatabaseSync(String(workerData));

/**
 * SQLite restarts the log only after all of it was moved. Another pass moves the writes made during the previous one,
 * and is short.
 */
const mostPasses = 3;

parentPort?.on('message', (isMore: boolean) => {
  if (isMore) {
    checkpoint();
    parentPort?.postMessage(null);
    return;
  }
  database.close();
  parentPort?.close();
});

function checkpoint(): void {
  for (let pass = 0; pass < mostPasses; pass++) {
    // A passive checkpoint blocks neither readers nor writers. If it throws, the thread exits and the next one tries
    // again.
    const moved = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    if (moved?.log === moved?.checkpointed) return;
  }
}
