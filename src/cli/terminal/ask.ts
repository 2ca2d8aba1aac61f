import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { tr } from '../language.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { printable } from './text.ts';

const interrupted = 130;

/** Whether prompts are possible: stdin and stderr are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Lines typed or pasted ahead. They answer the next prompts. */
const typedAhead: string[] = [];

/** Prompts for a line on the terminal. Secrets are not echoed. Null after Ctrl-C or Ctrl-D. */
async function readLine(question: string, isSecret: boolean): Promise<string | null> {
  const known = typedAhead.shift();
  if (known !== undefined) {
    process.stderr.write(isSecret ? `${question}\n` : `${question}${printable(known)}\n`);
    return known;
  }
  if (isSecret) process.stderr.write(question);
  // Readline redraws the line with each key, so the output of a secret prompt is discarded.
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  const given = await new Promise<string | null>((resolve, reject) => {
    terminal.question(isSecret ? '' : question).then(resolve, reject);
    terminal.on('line', (line) => typedAhead.push(line));
    terminal.once('close', () => resolve(null));
  });
  terminal.close();
  if (isSecret || given === null) process.stderr.write('\n');
  return given;
}

/** Prompts for a line. Ctrl-C and Ctrl-D end the command with `onCancel`. */
export async function ask(
  question: string,
  { isSecret = false, onCancel = tr('Nothing was run.', '没有运行任何脚本。') } = {},
): Promise<string> {
  const given = await readLine(question, isSecret);
  if (given === null) throw new UserError(onCancel, interrupted);
  return given;
}

interface Question {
  readonly text: string;
  /** Error message if there is no terminal. */
  readonly withoutTerminal: string;
  /** Error message for any answer but yes. */
  readonly onNo: string;
}

/** Asks for confirmation. Throws unless the answer is yes. */
export async function confirm({ text, withoutTerminal, onNo }: Question): Promise<void> {
  if (!canAsk()) throw new UserError(withoutTerminal, exitCodes.usage);
  const given = await readLine(text, false);
  if (given === null || !/^(?:y|yes|是)$/i.test(given.trim())) throw new UserError(onNo);
}
