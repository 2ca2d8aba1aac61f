import { parentPort, workerData } from 'node:worker_threads';

import { type OutcomeRequest, readOutcome } from './read-outcome.ts';

/** The entry file of the thread that reads one large outcome, sends it and exits. */
const request: OutcomeRequest = workerData;
const texts = await readOutcome(request);

// Small buffers are parts of a shared pool and cannot be transferred, so they are copied.
const given = new Set<ArrayBuffer>();
for (const { buffer } of [texts.result, texts.message, texts.stdout, texts.stderr]) {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) given.add(buffer);
}
parentPort?.postMessage(texts, [...given]);
