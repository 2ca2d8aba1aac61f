import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { tr } from '../language.ts';
import { UserError } from '../user-error.ts';
import { printable } from './text-width.ts';

const interrupted = 130;

/** Whether there is somebody who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Lines that came together with the one that was asked for, as when several are pasted: answers to what is asked next. */
const typedAhead: string[] = [];

/** Asks the person at the terminal for a line. What is typed is not shown when it is a secret. Ctrl-C and Ctrl-D end the command. */
export async function ask(question: string, { isSecret = false } = {}): Promise<string> {
  const known = typedAhead.shift();
  if (known !== undefined) {
    process.stderr.write(isSecret ? `${question}\n` : `${question}${printable(known)}\n`);
    return known;
  }
  if (isSecret) process.stderr.write(question);
  // The line is drawn again with each key, so a secret is kept from the screen by drawing nowhere.
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  const given = await new Promise<string | null>((resolve, reject) => {
    terminal.question(isSecret ? '' : question).then(resolve, reject);
    terminal.on('line', (line) => typedAhead.push(line));
    terminal.once('close', () => resolve(null));
  });
  terminal.close();
  if (isSecret || given === null) process.stderr.write('\n');
  if (given === null) throw new UserError(tr('Nothing was run.', '没有运行任何脚本。'), interrupted);
  return given;
}
