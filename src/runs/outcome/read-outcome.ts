import { lstatSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { Worker } from 'node:worker_threads';

import { describeEnding } from '../../contract/endings.ts';
import type { EnvelopeSource } from '../../contract/values.ts';
import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import { partToUtf8, toUtf8, utf8PartSteps, utf8Steps } from '../../shared/decode-text.ts';
import { errnoOf } from '../../shared/errors.ts';
import { type JsonText, jsonLiteral, jsonTextOf, literalSteps, textOf } from '../../shared/json.ts';
import { inTurns } from '../../shared/steps.ts';
import type { Language, Text } from '../../shared/text.ts';
import { readLogPart } from '../output/log-layout.ts';
import { checkEnvelope, type EnvelopeReading, readEnvelope } from './envelope.ts';

const lastLinesBytes = 4096;

const lastLinesCount = 10;

const longestMessage = 1000;

/** The longest form of a character in a literal is `\\u0041`. */
const enoughForMessage = 6 * longestMessage + 2;

const longestEscapeBytes = 12;

/** Codes of the envelopes that Hob writes if the script wrote none. */
const synthesizedCodes = { failed: -1, timedOut: -2, noEnvelope: -3 } as const;

export interface Circumstances {
  readonly end: RunEnd;
  readonly timeoutMs: number | null;
  /** Why the script could not be started, if a better description than an errno is known. */
  readonly unavailable: Text | null;
  readonly language: Language;
}

const noResult: Text = {
  en: 'wrote no result (a JSON object with code and msg) to environment.output_json',
  zh: '没有将结果（含 code 和 msg 的 JSON 对象）写入 environment.output_json',
};

/** The outcome of a script as an answer contains it: plain data that can be sent to a thread. */
export interface OutcomeTexts {
  readonly envelope: EnvelopeSource;
  readonly result: JsonText;
  /** The literal of the envelope's `msg`. */
  readonly message: JsonText;
  /** The part of the envelope that lists show: its code and the beginning of `msg`. */
  readonly summary: { readonly code: number; readonly message: string };
  /** Literals, empty if the output is not requested. */
  readonly stdout: JsonText;
  readonly stderr: JsonText;
}

/** The input for reading an outcome: plain data that can be sent to a thread. */
export interface OutcomeRequest extends Circumstances {
  /** The files of the run. */
  readonly folder: { readonly resultFile: string; readonly stdoutLog: string; readonly stderrLog: string };
  readonly limits: { readonly resultBytes: number; readonly outputAnswerBytes: number };
  /** Whether a caller waits for the output. */
  readonly withOutput: boolean;
  /** The envelope on record, if there is one. The file is then not read again. */
  readonly recorded?: JsonText | null;
  /** The script is known to have written no result. */
  readonly isWithoutResult?: boolean;
}

/**
 * Reads the outcome of a script. It never rejects because of the files of a script. Its memory is limited to a few
 * times the limits.
 */
export async function readOutcome(request: OutcomeRequest): Promise<OutcomeTexts> {
  const { folder, end, limits } = request;
  const outputBytes = request.withOutput ? limits.outputAnswerBytes : null;
  const envelope = await takeEnvelope(request, await readResult(request));
  // One after the other: both at once would need twice the memory.
  const stdout = outputBytes === null ? noText : await readOutput(folder.stdoutLog, end.stdout, outputBytes);
  const stderr = outputBytes === null ? noText : await readOutput(folder.stderrLog, end.stderr, outputBytes);
  return { ...envelope, stdout, stderr };
}

async function readResult({
  folder,
  limits,
  recorded,
  isWithoutResult,
}: OutcomeRequest): Promise<EnvelopeReading> {
  if (recorded) return checkEnvelope(recorded);
  return isWithoutResult ? { kind: 'absent' } : readEnvelope(folder.resultFile, limits.resultBytes);
}

/** The outcome of a run whose files could not be read, for a reason that lies with Hob and not with the run. */
export async function unreadOutcome(request: OutcomeRequest, why: Text): Promise<OutcomeTexts> {
  const { folder, end, withOutput } = request;
  return {
    ...(await takeEnvelope(
      request,
      request.recorded ? checkEnvelope(request.recorded) : { kind: 'invalid', why },
    )),
    stdout: withOutput ? unreadOutput(folder.stdoutLog, end.stdout) : noText,
    stderr: withOutput ? unreadOutput(folder.stderrLog, end.stderr) : noText,
  };
}

const noText = jsonTextOf('');

async function takeEnvelope(
  request: OutcomeRequest,
  reading: EnvelopeReading,
): Promise<Omit<OutcomeTexts, 'stdout' | 'stderr'>> {
  if (reading.kind === 'valid') {
    const { text, code, msg } = reading;
    return { envelope: 'own', result: text, message: msg, summary: summarize(code, msg) };
  }
  const lastErrorLines = await readLastWords(request);
  const synthesized = synthesizeEnvelope(request, reading, lastErrorLines);
  const message = jsonTextOf(synthesized.msg);
  return {
    envelope: 'synthesized',
    result: jsonTextOf(synthesized),
    message,
    summary: summarize(synthesized.code, message),
  };
}

/** The last error lines of a script. In a terminal they are part of the whole output and may contain colour codes. */
async function readLastWords({ folder, end }: OutcomeRequest): Promise<string> {
  if (end.window === undefined || end.stderr.bytes > 0) return readLastLines(folder.stderrLog, end.stderr);
  return stripVTControlCharacters(await readLastLines(folder.stdoutLog, end.stdout));
}

export function summarize(code: number, msg: JsonText): OutcomeTexts['summary'] {
  return { code, message: beginningOf(msg) };
}

/** Returns the first characters of a string literal without reading the rest of it. */
function beginningOf(literal: JsonText): string {
  const message: string =
    literal.length <= enoughForMessage
      ? JSON.parse(textOf(literal))
      : parseCut(literal.subarray(0, enoughForMessage));
  // Removes half of a surrogate pair at the end.
  return message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '');
}

/** The cut may have split an escape or a character: removes bytes until the rest is valid. */
function parseCut(cut: Uint8Array): string {
  for (let less = 0; less <= longestEscapeBytes; less++) {
    try {
      return JSON.parse(`${textOf(cut.subarray(0, cut.length - less))}"`);
    } catch {
      // Try with one byte less.
    }
  }
  return '';
}

/**
 * The captured output of a stream as a JSON string literal of at most `maxBytes`: the beginning and the end, with a
 * line between them that states how many bytes are missing and where they are. An omission is always marked.
 */
export async function readOutput(path: string, capture: StreamCapture, maxBytes: number): Promise<JsonText> {
  const kept = capture.headBytes + capture.tailBytes;
  if (capture.bytes === 0) return jsonLiteral();
  if (capture.text !== undefined && capture.bytes <= maxBytes) return jsonLiteral(Buffer.from(capture.text));
  if (kept === capture.bytes && kept <= maxBytes) {
    const all = await readLogPart(path, 0, kept);
    if (all.length === kept) return inTurns(literalSteps(await inTurns(utf8Steps(all))));
  }

  const headBytes = Math.min(
    capture.headBytes,
    capture.tailBytes > 0 || kept > maxBytes ? Math.ceil(maxBytes / 2) : maxBytes,
  );
  const tailBytes = Math.min(kept - headBytes, Math.floor(maxBytes / 2), tailAvailable(capture, headBytes));
  const [head, tail] = await Promise.all([
    readLogPart(path, 0, headBytes),
    readLogPart(path, kept - tailBytes, tailBytes),
  ]);
  const beginning = await inTurns(utf8PartSteps(head, 'end'));
  const end = await inTurns(utf8PartSteps(tail, 'start'));
  const isIntact = head.length === headBytes && tail.length === tailBytes;
  const mark = markOf({
    missing: capture.bytes - beginning.usedBytes - end.usedBytes,
    log: isIntact ? { path, isWhole: kept === capture.bytes } : null,
  });
  return inTurns(literalSteps(beginning.utf8, Buffer.from(mark), end.utf8));
}

/** The literal for output that could not be read: it marks all bytes as missing. */
export function unreadOutput(path: string, capture: StreamCapture): JsonText {
  if (capture.bytes === 0) return jsonLiteral();
  const isWhole = capture.headBytes + capture.tailBytes === capture.bytes;
  return jsonLiteral(Buffer.from(markOf({ missing: capture.bytes, log: { path, isWhole } })));
}

/** The line that replaces the missing part of an output. */
export function leftOutLine(missing: number): string {
  return `\n${leftOut(missing)}\n`;
}

function leftOut(missing: number): string {
  return `[... ${missing} bytes left out by Hob ...]`;
}

/** The line that also names the log with the missing part. The log may be removed, or incomplete too. */
function markOf({
  missing,
  log,
}: {
  missing: number;
  log: { path: string; isWhole: boolean } | null;
}): string {
  if (log === null) return leftOutLine(missing);
  return `\n${leftOut(missing)} ${log.isWhole ? 'The full output is' : 'The kept part is'} in ${log.path}\n`;
}

/** If the disk was full, only the beginning is kept: its last bytes are not the end of the output. */
function tailAvailable(capture: StreamCapture, headBytes: number): number {
  if (capture.tailBytes > 0) return capture.tailBytes;
  return capture.headBytes === capture.bytes ? capture.headBytes - headBytes : 0;
}

/** The last lines of a stream, for error messages. */
export async function readLastLines(path: string, capture: StreamCapture): Promise<string> {
  const kept = capture.headBytes + capture.tailBytes;
  if (kept === 0) return '';
  const bytes = Math.min(kept, lastLinesBytes);
  const end = await readLogPart(path, kept - bytes, bytes);
  const utf8 = bytes === kept ? toUtf8(end) : partToUtf8(end, 'start').utf8;
  return textOf(utf8).trimEnd().split(/\r?\n/).slice(-lastLinesCount).join('\n');
}

/** Builds the envelope for a script that wrote none: a description of the end and the last error lines. */
export function synthesizeEnvelope(
  circumstances: Circumstances,
  reading: EnvelopeReading,
  lastErrorLines: string,
): { code: number; msg: string } {
  const { end, language } = circumstances;
  const what = describe(circumstances, reading)[language];
  const msg = lastErrorLines === '' ? what : `${what}\n${lastErrorLines}`;
  return { code: codeOf(end), msg };
}

function codeOf(end: RunEnd): number {
  if (end.cause === 'timeout') return synthesizedCodes.timedOut;
  return isSuccess(end) ? synthesizedCodes.noEnvelope : synthesizedCodes.failed;
}

function describe(circumstances: Circumstances, reading: EnvelopeReading): Text {
  const { end, timeoutMs, unavailable } = circumstances;
  const ending = describeEnding({ ...end, timeoutMs, isWindowClosed: end.window === 'gone' });
  const what = end.cause === 'spawn-failed' && unavailable !== null ? unavailable : ending;
  if (isSuccess(end)) {
    const { en, zh } = reading.kind === 'invalid' ? describeInvalid(reading.why) : noResult;
    return { en: `${what.en}, but ${en}`, zh: `${what.zh}，但${zh}` };
  }
  if (reading.kind !== 'invalid') return what;
  // A defect of the result may be the cause of the failure, or all that remains of hours of work.
  const { en, zh } = describeInvalid(reading.why);
  return { en: `${what.en}, and ${en}`, zh: `${what.zh}，且${zh}` };
}

/** Whether this message of a synthesized envelope says that the script succeeded and wrote no result, not even an invalid one. */
export function saysNoResult(message: string): boolean {
  const [first = ''] = message.split('\n', 1);
  return first.endsWith(noResult.en) || first.endsWith(noResult.zh);
}

function describeInvalid(why: Text): Text {
  return { en: `its result is not valid: ${why.en}`, zh: `结果无效：${why.zh}` };
}

/** Exit code 0, and neither timed out nor stopped by Hob. */
export function isSuccess(end: Pick<RunEnd, 'cause' | 'exitCode'>): boolean {
  return end.cause === 'exit' && end.exitCode === 0;
}

/** Reading up to this size takes about a millisecond. */
const smallBytes = 256 * 1024;

/** Number of large outcomes read at once: each needs a few times its size in memory. */
const maxLarge = 2;

/**
 * Files and texts are not on the heap of the thread, so a few megabytes suffice. If the heap overflows, only the thread
 * ends.
 */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/** The part of the logger that is used here. The thread does not load the logger. */
interface Log {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

interface OutcomeReaderOptions {
  /** The entry file of the thread. */
  entry: URL;
  log: Log;
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
      this.#options.log.error({ run: request.end.runId, err: error }, 'cannot read the outcome of a run');
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
      this.#options.log.warn(
        { run: request.end.runId, err: error },
        'cannot start a thread to read a large outcome; other requests are delayed',
      );
      return readOutcome(request);
    }
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
