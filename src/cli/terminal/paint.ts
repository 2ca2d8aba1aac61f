import { styleText } from 'node:util';

type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Colours a text where it goes to a terminal whose user has not asked for none (NO_COLOR). */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream, validateStream: true });
}
