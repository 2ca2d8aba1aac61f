import { createInterface } from 'node:readline/promises';

import { exitCodes, UserError } from '../user-error.ts';

interface Question {
  readonly text: string;
  /** Error message if there is no terminal. */
  readonly withoutTerminal: string;
  /** Error message for any answer but yes. */
  readonly onNo: string;
}

/** Asks for confirmation. Throws unless the answer is yes. */
export async function confirm({ text, withoutTerminal, onNo }: Question): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UserError(withoutTerminal, exitCodes.usage);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const given = await new Promise<string>((resolve, reject) => {
    terminal.question(text).then(resolve, reject);
    // Ctrl-C and Ctrl-D close the interface without resolving the question.
    terminal.once('close', () => resolve('\n'));
  });
  terminal.close();
  if (given === '\n') process.stderr.write(given);
  if (!/^(?:y|yes|是)$/i.test(given.trim())) throw new UserError(onNo);
}
