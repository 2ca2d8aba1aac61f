import { lstatSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import type { StreamCapture } from '../../execution/messages.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { type OutcomeRequest, type OutcomeTexts, readOutcome, unreadOutcome } from './read-outcome.ts';

/** Up to here reading takes about a millisecond. */
const smallBytes = 256 * 1024;
/** So many large outcomes are read at a time: each takes memory of a few times its size. */
const maxLarge = 2;
/** Files and texts are not on the heap of the thread, so a few megabytes do; whatever fills it ends the thread alone. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

interface OutcomeReaderOptions {
  /** The file that a thread runs. */
  entry: URL;
  log: Logger;
}

/**
 * Reads what scripts left behind, so that nobody else is held up: small things at once, and much output in turns with whatever else there is
 * to do. A large result cannot be checked in parts, so that is done in a thread, which takes longer to start than all the rest.
 */
export class OutcomeReader {
  readonly #options: OutcomeReaderOptions;
  #large = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: OutcomeReaderOptions) {
    this.#options = options;
  }

  /** Never rejects: a run whose outcome cannot be read still has one, which says so. */
  async read(request: OutcomeRequest): Promise<OutcomeTexts> {
    const resultBytes = request.recorded?.length ?? resultSizeOf(request);
    const readHere = () =>
      readOutcome(resultBytes === null ? { ...request, isWithoutResult: true } : request);
    if ((resultBytes ?? 0) + outputSizeOf(request) <= smallBytes) return readHere();
    if (this.#large === maxLarge) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#large++;
    try {
      return await ((resultBytes ?? 0) <= smallBytes ? readHere() : this.#readInThread(request));
    } catch (error) {
      this.#logOf(request).error({ err: error }, 'cannot read the outcome of a run');
      const why = errnoOf(error) ?? error;
      return unreadOutcome(request, { en: `Hob could not read it (${why})`, zh: `Hob 无法读取（${why}）` });
    } finally {
      // The place goes to the one who has waited longest, or is free again.
      const next = this.#waiting.shift();
      if (next === undefined) this.#large--;
      else next();
    }
  }

  async #readInThread(request: OutcomeRequest): Promise<OutcomeTexts> {
    try {
      return await runThread(this.#options.entry, request);
    } catch (error) {
      if (errnoOf(error) !== 'ERR_WORKER_INIT_FAILED') throw error;
      this.#logOf(request).warn(
        { err: error },
        'cannot start a thread to read a large outcome; other requests are delayed',
      );
      return readOutcome(request);
    }
  }

  #logOf({ end }: OutcomeRequest): Logger {
    return this.#options.log.child({ run: end.runId });
  }
}

function runThread(entry: URL, request: OutcomeRequest): Promise<OutcomeTexts> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: request, resourceLimits, env: {}, execArgv: [] });
    // A service that stops does not wait for it: the next one will read the outcome again.
    worker.unref();
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread exited with code ${code}`)));
  });
}

function outputSizeOf({ end, limits, withOutput }: OutcomeRequest): number {
  if (!withOutput) return 0;
  const ofStream = ({ headBytes, tailBytes }: StreamCapture) =>
    Math.min(headBytes + tailBytes, limits.outputAnswerBytes);
  return ofStream(end.stdout) + ofStream(end.stderr);
}

/** Null when there is none. */
function resultSizeOf({ folder, limits }: OutcomeRequest): number | null {
  try {
    const size = lstatSync(folder.resultFile, { throwIfNoEntry: false })?.size;
    if (size === undefined) return null;
    // What is over the limit is not read.
    return size > limits.resultBytes ? 0 : size;
  } catch {
    return 0;
  }
}
