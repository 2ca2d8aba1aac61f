import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describeEnding } from '../../contract/endings.ts';
import type { EnvelopeSource } from '../../contract/values.ts';
import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import { assertNever } from '../../shared/assert-never.ts';
import { fileToUtf8, partToUtf8, toUtf8, utf8PartSteps, utf8Steps } from '../../shared/decode-text.ts';
import { type JsonText, jsonLiteral, jsonTextOf, literalSteps, textOf } from '../../shared/json.ts';
import { isOwnFolder } from '../../shared/private-files.ts';
import { type ReadFailure, type ReadResult, readRegularFile } from '../../shared/read-regular-file.ts';
import { type JsonScan, type Member, scanJson } from '../../shared/scan-json.ts';
import { inTurns } from '../../shared/steps.ts';
import type { Language, Text } from '../../shared/text.ts';
import { whenPossible } from '../../shared/when-possible.ts';
import { readLogPart } from '../output/log-layout.ts';

/** Longer than any usual spelling of an integer. */
const longestNumberBytes = 100;

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

export type EnvelopeReading =
  /** `msg` is the literal in the text. */
  | { kind: 'valid'; text: JsonText; code: number; msg: JsonText }
  | { kind: 'absent' }
  | { kind: 'invalid'; why: Text };

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
  return `\n${leftOut(missing)} ${log.isWhole ? 'All of it is' : 'What was kept of it is'} in ${log.path}\n`;
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

/**
 * Reads the envelope that a script wrote. Keeps its text, because parsing and printing would change large numbers. The
 * file is not trusted. This function never rejects, for any content of the file.
 */
export async function readEnvelope(path: string, maxBytes: number): Promise<EnvelopeReading> {
  const read = async (): Promise<ReadResult> =>
    isOwnFolder(dirname(path)) ? readRegularFile(path, { maxBytes, ownOnly: true }) : { kind: 'missing' };
  const file = await whenPossible(read, (result) =>
    result.kind === 'unreadable' ? result.errno : undefined,
  );
  if (file.kind === 'missing') return { kind: 'absent' };
  if (file.kind !== 'content') return invalid(describeFailure(file, maxBytes));
  if (file.bytes.length === 0) return { kind: 'absent' };
  return checkEnvelope(fileToUtf8(file.bytes));
}

/** Checks whether a text is a valid envelope. */
function checkEnvelope(bytes: Uint8Array): EnvelopeReading {
  const found = new Map<string, Member>();
  const scan = scanJson(bytes, ['code', 'msg'], (member) => {
    const earlier = found.get(member.key);
    if (earlier !== undefined) blank(bytes, earlier);
    found.set(member.key, member);
  });
  if (scan.kind !== 'object') return invalid(describeScan(scan));
  const literalOf = (key: string) => {
    const member = found.get(key);
    return member === undefined ? undefined : bytes.subarray(member.valueStart, member.valueEnd);
  };
  const code = wholeNumber(literalOf('code'));
  if (code === null) return invalid({ en: 'code is not an integer', zh: 'code 不是整数' });
  const msg = literalOf('msg');
  if (msg === undefined || !isText(msg)) return invalid({ en: 'msg is not a string', zh: 'msg 不是字符串' });
  return { kind: 'valid', text: bytes.subarray(scan.start, scan.end), code, msg };
}

/**
 * Overwrites an earlier duplicate of a key, with its comma. The last of two equal keys counts, here as in most parsers.
 * But some parsers take the first, and would see another `code` or `msg` than the one on record.
 */
function blank(bytes: Uint8Array, { keyStart, valueEnd }: Member): void {
  const comma = bytes.indexOf(0x2c, valueEnd);
  bytes.fill(0x20, keyStart, comma + 1);
}

function wholeNumber(literal: JsonText | undefined): number | null {
  if (literal === undefined || literal.length > longestNumberBytes) return null;
  const value: unknown = JSON.parse(textOf(literal));
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

function isText(literal: JsonText): boolean {
  return literal[0] === 0x22;
}

function invalid(why: Text): EnvelopeReading {
  return { kind: 'invalid', why };
}

function describeScan(scan: JsonScan): Text {
  if (scan.kind === 'malformed')
    return { en: 'the result file is not valid JSON', zh: '结果文件不是有效的 JSON' };
  if (scan.kind !== 'hazard') return { en: 'the result is not a JSON object', zh: '结果不是 JSON 对象' };
  const { hazard } = scan;
  switch (hazard.kind) {
    case 'depth':
      return { en: 'the result is nested too deeply', zh: '结果嵌套过深' };
    case 'key':
      return { en: `the result has the forbidden key ${hazard.key}`, zh: `结果含有非法键 ${hazard.key}` };
    case 'number':
      return {
        en: `the result has a number that is too large for most JSON parsers: ${hazard.text}`,
        zh: `结果中的数值超出可表示范围：${hazard.text}`,
      };
    default:
      return assertNever(hazard);
  }
}

function describeFailure(failure: ReadFailure, maxBytes: number): Text {
  if (failure.kind === 'too-large') {
    const { sizeBytes } = failure;
    return {
      en: `the result file has ${sizeBytes} bytes; the limit is ${maxBytes} (setting result_mib)`,
      zh: `结果文件有 ${sizeBytes} 字节，超过上限 ${maxBytes} 字节（设置 result_mib）`,
    };
  }
  const reason = failure.kind === 'unreadable' ? failure.errno : failure.kind;
  return { en: `the result file cannot be used (${reason})`, zh: `结果文件不可用（${reason}）` };
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

function describeInvalid(why: Text): Text {
  return { en: `its result is not valid: ${why.en}`, zh: `结果无效：${why.zh}` };
}

/** Exit code 0, and neither timed out nor stopped by Hob. */
export function isSuccess(end: Pick<RunEnd, 'cause' | 'exitCode'>): boolean {
  return end.cause === 'exit' && end.exitCode === 0;
}
