import { stripVTControlCharacters } from 'node:util';
import type { EnvelopeSource } from '../../contract/values.ts';
import { textOf } from '../../shared/decode-text.ts';
import { type JsonText, jsonTextOf } from '../../shared/json-text.ts';
import type { Text } from '../../shared/text.ts';
import type { RunFolder } from '../run-folder.ts';
import { checkEnvelope, type EnvelopeReading, readEnvelope } from './envelope.ts';
import { readLastLines, readOutput, unreadOutput } from './read-output.ts';
import { type Circumstances, synthesizeEnvelope } from './synthesize-envelope.ts';

/** The part of an envelope that lists show. The envelope itself may be large. */
interface EnvelopeSummary {
  readonly code: number;
  /** The beginning of `msg`. */
  readonly message: string;
}

const longestMessage = 1000;

/** The longest form of a character in a literal is `\\u0041`. */
const enoughForMessage = 6 * longestMessage + 2;

const longestEscapeBytes = 12;

/** The input for reading an outcome: plain data that can be sent to a thread. */
export interface OutcomeRequest extends Circumstances {
  readonly folder: RunFolder;
  readonly limits: { readonly resultBytes: number; readonly outputAnswerBytes: number };
  /** Whether a caller waits for the output. */
  readonly withOutput: boolean;
  /** The envelope on record, if there is one. The file is then not read again. */
  readonly recorded?: JsonText | null;
  /** The script is known to have written no result. */
  readonly isWithoutResult?: boolean;
}

/** The outcome of a script as an answer contains it: plain data as well. */
export interface OutcomeTexts {
  readonly envelope: EnvelopeSource;
  readonly result: JsonText;
  /** The literal of the envelope's `msg`. */
  readonly message: JsonText;
  readonly summary: EnvelopeSummary;
  /** Literals, empty if the output is not requested. */
  readonly stdout: JsonText;
  readonly stderr: JsonText;
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

export function summarize(code: number, msg: JsonText): EnvelopeSummary {
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
