import { styleText } from 'node:util';

type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Colours a text if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream, validateStream: true });
}
