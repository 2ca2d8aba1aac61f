import { lstatSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import type { RunState } from '../../contract/values.ts';
import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { JsonText } from '../../shared/json.ts';
import type { Logger } from '../../shared/log.ts';
import type { KeptOutput, RunEnding } from '../run-record.ts';
import {
  isSuccess,
  type OutcomeRequest,
  type OutcomeTexts,
  readOutcome,
  unreadOutcome,
} from './read-outcome.ts';

/** Reading up to this size takes about a millisecond. */
const smallBytes = 256 * 1024;

/** Number of large outcomes read at once: each needs a few times its size in memory. */
const maxLarge = 2;

/**
 * Files and texts are not on the heap of the thread, so a few megabytes suffice. If the heap overflows, only the thread
 * ends.
 */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

interface OutcomeReaderOptions {
  /** The entry file of the thread. */
  entry: URL;
  log: Logger;
}

/**
 * Reads the results and the output of scripts without blocking the service. Small files are read immediately, and large
 * output in steps that yield to other work. A large result cannot be checked in steps, so a thread checks it, although
 * starting a thread takes longer than the check of a small result.
 */
export class OutcomeReader {
  readonly #options: OutcomeReaderOptions;
  #large = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: OutcomeReaderOptions) {
    this.#options = options;
  }

  /** Never rejects: if an outcome cannot be read, the returned outcome says so. */
  readonly read = async (request: OutcomeRequest): Promise<OutcomeTexts> => {
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
      // Passes the place to the request that has waited longest, or frees it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#large--;
      else next();
    }
  };

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
    // A stopping service does not wait for the thread: the next service reads the outcome again.
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

/** Null if the script wrote no result. */
function resultSizeOf({ folder, limits }: OutcomeRequest): number | null {
  try {
    const size = lstatSync(folder.resultFile, { throwIfNoEntry: false })?.size;
    if (size === undefined) return null;
    // A result over the limit is not read.
    return size > limits.resultBytes ? 0 : size;
  } catch {
    return 0;
  }
}

/** Builds the end of a run from the end of its process and the outcome of the script. */
export function concludeRun(
  end: RunEnd,
  { envelope, result, summary }: Pick<OutcomeTexts, 'envelope' | 'result' | 'summary'>,
): RunEnding & { result: JsonText } {
  return {
    state: stateOf(end),
    endCause: end.cause,
    exitCode: end.cause === 'lost' ? null : end.exitCode,
    result,
    code: summary.code,
    message: summary.message,
    envelope,
    startedAt: end.startedAtMs === null ? null : new Date(end.startedAtMs).toISOString(),
    endedAt: new Date(end.endedAtMs).toISOString(),
    // No executor observed the end: the run may have ended at any time between its start and now.
    durationMs: end.cause === 'lost' && end.startedAtMs === null ? null : Math.round(end.durationMs),
    stdoutBytes: end.stdout.bytes,
    stderrBytes: end.stderr.bytes,
    stdoutKept: keptOf(end.stdout),
    stderrKept: keptOf(end.stderr),
    truncated: [end.stdout, end.stderr].some((stream) => stream.headBytes + stream.tailBytes < stream.bytes),
    leftRunning: end.leftRunning,
  };
}

/** Builds the outcome for a caller that waits. */
export function outcomeOf(
  end: RunEnd,
  texts: Pick<OutcomeTexts, 'message' | 'stdout' | 'stderr' | 'result'>,
) {
  const { message, stdout, stderr, result } = texts;
  return {
    exitCode: end.exitCode,
    success: isSuccess(end),
    timedOut: end.cause === 'timeout',
    message,
    stdout,
    stderr,
    result,
  };
}

function keptOf({ headBytes, tailBytes }: StreamCapture): KeptOutput {
  return { headBytes, tailBytes };
}

function stateOf(end: RunEnd): RunState {
  if (end.cause === 'lost') return 'unknown';
  return isSuccess(end) ? 'succeeded' : 'failed';
}
