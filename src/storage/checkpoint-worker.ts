import { parentPort, workerData } from 'node:worker_threads';

import { DatabaseSync } from '@photostructure/sqlite';

/** The entry of the thread that makes checkpoints: one for each message, until it is told that there will be no more. */
const database = new DatabaseSync(String(workerData));

/** The log begins anew only when all of it was moved, so what came in meanwhile is moved, too: the rest is soon done. */
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
    // Passive: nobody waits for it, neither readers nor writers. When it throws the thread ends, and the next one tries again.
    const moved = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    if (moved?.log === moved?.checkpointed) return;
  }
}
