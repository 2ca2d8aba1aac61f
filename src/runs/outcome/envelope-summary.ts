import { textOf } from '../../shared/decode-text.ts';
import type { JsonText } from '../../shared/json-text.ts';

/** The part of an envelope that lists show. The envelope itself may be large. */
export interface EnvelopeSummary {
  readonly code: number;
  /** The beginning of `msg`. */
  readonly message: string;
}

const longestMessage = 1000;
/** The longest form of a character in a literal is `\\u0041`. */
const enoughBytes = 6 * longestMessage + 2;
const longestEscapeBytes = 12;

export function summarize(code: number, msg: JsonText): EnvelopeSummary {
  return { code, message: beginningOf(msg) };
}

/** Returns the first characters of a string literal without reading the rest of it. */
function beginningOf(literal: JsonText): string {
  const message: string =
    literal.length <= enoughBytes ? JSON.parse(textOf(literal)) : parseCut(literal.subarray(0, enoughBytes));
  // Removes half of a surrogate pair at the end.
  return message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '');
}

/** The cut may have split an escape or a character: removes bytes until the rest is valid. */
function parseCut(cut: Uint8Array): string {
  for (let less = 0; less <= longestEscapeBytes; less++) {
    try {
      return JSON.parse(`${textOf(cut.subarray(0, cut.length - less))}"`);
    } catch {
      // Try with one byte less.
    }
  }
  return '';
}
