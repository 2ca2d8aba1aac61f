import { StreamText } from './output/stream-text.ts';

/** Sequences that full-screen programs use: absolute cursor positions, scroll regions and the alternate screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const drawing = /\u001b\[(?:\d+;\d+[Hf]|H|\d*;\d*r|\?(?:47|1047|1049)[hl])/;

/** The visible text of terminal output; empty for full-screen programs. */
export function plainText(written: string): string {
  if (drawing.test(written)) return '';
  const lines: string[] = [];
  const stream = new StreamText();
  const add = (pieces: readonly { text: string }[]) => lines.push(pieces.map(({ text }) => text).join(''));
  stream.take(written, add);
  if (stream.open !== null) add(stream.open);
  return lines.join('\n').trim();
}
