import { styleText } from 'node:util';

import type { JsonObject } from '../../shared/json.ts';

type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Colours a text if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream, validateStream: true });
}

/** Prints indented JSON to stdout. */
export function printJson(answer: JsonObject): void {
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}
