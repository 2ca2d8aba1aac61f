import { styleText } from 'node:util';

type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Colours a text if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream, validateStream: true });
}

export function printJson(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}

/** Prints an answer as JSON, or as text that fits the terminal. */
export function printAnswer<Answer extends object>(
  answer: Answer,
  isJson: boolean | undefined,
  describe: (answer: Answer, lineWidth?: number) => string,
): void {
  if (isJson === true) printJson(answer);
  else process.stdout.write(describe(answer, terminalWidth()));
}

/** Undefined if stdout is not a terminal. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}
