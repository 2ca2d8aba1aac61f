import type { RunOutputs, StreamName } from '../../runs/output/run-outputs.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { partToUtf8, textOf } from '../../shared/decode-text.ts';
import { planOutput } from './plan-output.ts';

/** The end of an output, for people. */
export interface OutputTail {
  readonly text: string;
  /** How much the script has written. */
  readonly bytes: number;
  /** Whether there is more before it. */
  readonly isCut: boolean;
}

const mostBytes = 64 * 1024;
const mostLines = 200;
/** What can be seen is there; only what is overwritten just now may keep a reader waiting. */
const patienceMs = 2000;

/** The last lines of what a run has written. What it writes meanwhile is for the next look. */
export async function readTail(
  outputs: Pick<RunOutputs, 'look' | 'read'>,
  record: BriefRun,
  stream: StreamName,
  signal: AbortSignal,
): Promise<OutputTail> {
  const view = await outputs.look(record, stream);
  const plan = planOutput(view, { kind: 'end', count: mostBytes }, false);
  if ('refusal' in plan) return { text: '', bytes: view.endBytes, isCut: view.endBytes > 0 };
  const { from, until } = plan;
  const pieces: Uint8Array[] = [];
  let hasGap = false;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  for await (const piece of outputs.read({ runId: record.runId, stream, from, until }, enough)) {
    if ('missing' in piece) hasGap = true;
    else pieces.push(piece.bytes);
  }
  const whole = textOf(partToUtf8(Buffer.concat(pieces), 'start').utf8);
  const { text, isCut } = lastLines(toPlainText(whole));
  return { text, bytes: view.endBytes, isCut: isCut || hasGap || from > 0 };
}

function lastLines(text: string): { text: string; isCut: boolean } {
  const lines = text.replace(/\n$/, '').split('\n');
  return { text: lines.slice(-mostLines).join('\n'), isCut: lines.length > mostLines };
}

/** Colours and the like: they are for terminals. One that is never closed takes no more than its line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to go.
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
const controls = /(?![\t\n])\p{Cc}/gu;

/** What a terminal would show of it: of a line that was written over and over, such as a progress bar, what was written last. */
export function toPlainText(text: string): string {
  const lines = text.replace(escapes, '').split('\n');
  return lines.map((line) => writtenLast(line).replace(controls, '')).join('\n');
}

function writtenLast(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
