import { StreamText } from './output/stream-text.ts';

/** What drew a screen of its own is a picture, and no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const drawing = /\u001b\[(?:\d+;\d+[Hf]|H|\d*;\d*r|\?(?:47|1047|1049)[hl])/;

/** The text that one would see of what was written for a terminal; nothing of what was drawn there. */
export function plainText(written: string): string {
  if (drawing.test(written)) return '';
  const lines: string[] = [];
  const stream = new StreamText();
  const add = (pieces: readonly { text: string }[]) => lines.push(pieces.map(({ text }) => text).join(''));
  stream.take(written, add);
  if (stream.open !== null) add(stream.open);
  return lines.join('\n').trim();
}
