import { parentPort, workerData } from 'node:worker_threads';

import { type OutcomeRequest, readOutcome } from './read-outcome.ts';

/** The entry of the thread that reads one large outcome, hands it over and ends. */
const request: OutcomeRequest = workerData;
const texts = await readOutcome(request);

// Small buffers are parts of a pool, which cannot be given away; they are copied.
const given = new Set<ArrayBuffer>();
for (const { buffer } of [texts.result, texts.message, texts.stdout, texts.stderr]) {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) given.add(buffer);
}
parentPort?.postMessage(texts, [...given]);
