import { createInterface } from 'node:readline/promises';

import { exitCodes, UserError } from '../user-error.ts';

interface Question {
  readonly text: string;
  /** What is said when there is nobody to ask. */
  readonly withoutTerminal: string;
  /** What is said to anything but a yes. */
  readonly onNo: string;
}

/** Asks the person at the terminal, and goes on only after a yes. */
export async function confirm({ text, withoutTerminal, onNo }: Question): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UserError(withoutTerminal, exitCodes.usage);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const given = await new Promise<string>((resolve, reject) => {
    terminal.question(text).then(resolve, reject);
    // Ctrl-C and Ctrl-D would leave the question open for ever, and its line.
    terminal.once('close', () => resolve('\n'));
  });
  terminal.close();
  if (given === '\n') process.stderr.write(given);
  if (!/^(?:y|yes|是)$/i.test(given.trim())) throw new UserError(onNo);
}
