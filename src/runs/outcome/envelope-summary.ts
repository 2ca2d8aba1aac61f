import { textOf } from '../../shared/decode-text.ts';
import type { JsonText } from '../../shared/json-text.ts';

/** What lists show of an envelope, which may itself be large. */
export interface EnvelopeSummary {
  readonly code: number;
  /** The beginning of `msg`. */
  readonly message: string;
}

const longestMessage = 1000;
/** The longest way to write a character in a literal is `\\u0041`. */
const enoughBytes = 6 * longestMessage + 2;
const longestEscapeBytes = 12;

export function summarize(code: number, msg: JsonText): EnvelopeSummary {
  return { code, message: beginningOf(msg) };
}

/** The first characters of a text literal, without reading the rest of it. */
function beginningOf(literal: JsonText): string {
  const message: string =
    literal.length <= enoughBytes ? JSON.parse(textOf(literal)) : parseCut(literal.subarray(0, enoughBytes));
  // Half a character at the end is none.
  return message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '');
}

/** The cut may have gone through an escape or a character: bytes are taken off until what is left is whole. */
function parseCut(cut: Uint8Array): string {
  for (let less = 0; less <= longestEscapeBytes; less++) {
    try {
      return JSON.parse(`${textOf(cut.subarray(0, cut.length - less))}"`);
    } catch {
      // One byte less, then.
    }
  }
  return '';
}
