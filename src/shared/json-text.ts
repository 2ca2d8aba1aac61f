import { allAtOnce, type Steps } from './steps.ts';

/** JSON in UTF-8 that is passed on as it is, neither parsed nor copied. */
export type JsonText = Uint8Array;

const quote = 0x22;
/** So much is escaped at once: no string of the whole is ever made, which for large texts would cost several times their size. */
const pieceBytes = 64 * 1024;
/** And so much in one step. */
const stepBytes = 4 * pieceBytes;
/** Lines of text become so much longer by what is escaped in them, or less. */
const usualGrowth = 1.05;

/**
 * Texts in UTF-8, one after the other, as one JSON string literal: what `JSON.stringify` gives. It is asked for each piece as if every
 * byte were a character: those that it escapes are characters by themselves in UTF-8, too, and all others stay as they are.
 */
export function jsonLiteral(...utf8: readonly Uint8Array[]): JsonText {
  return allAtOnce(literalSteps(...utf8));
}

/** The same, for what may be large. */
export function* literalSteps(...utf8: readonly Uint8Array[]): Steps<JsonText> {
  const textBytes = utf8.reduce((sum, { length }) => sum + length, 0);
  if (textBytes <= pieceBytes) return bytesOf(escaped(Buffer.concat(utf8, textBytes)));
  let literal: Buffer = Buffer.allocUnsafeSlow(Math.ceil(textBytes * usualGrowth));
  let end = literal.writeUInt8(quote);
  let taken = 0;
  for (const text of utf8) {
    for (let start = 0; start < text.length; start += pieceBytes) {
      const piece = text.subarray(start, start + pieceBytes);
      const content = escaped(piece).slice(1, -1);
      taken += piece.length;
      // With a byte for the quote at the end.
      const needed = end + content.length + 1;
      if (needed > literal.length)
        literal = enlarged(literal, { needed, ifAllIsAlike: needed * (textBytes / taken) });
      end += literal.write(content, end, 'latin1');
      if ((start + pieceBytes) % stepBytes === 0) yield;
    }
  }
  end = literal.writeUInt8(quote, end);
  return literal.subarray(0, end);
}

function escaped(utf8: Uint8Array): string {
  return JSON.stringify(Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length).toString('latin1'));
}

/** Memory of its own, not a part of a shared pool: it may be handed to another thread. */
function bytesOf(literal: string): JsonText {
  const bytes = Buffer.allocUnsafeSlow(literal.length);
  bytes.write(literal, 'latin1');
  return bytes;
}

/** As large as it seems to become, and much larger in any case: copying it takes longer than a step. */
function enlarged(
  literal: Buffer,
  { needed, ifAllIsAlike }: { needed: number; ifAllIsAlike: number },
): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.ceil(Math.max(needed * 1.5, ifAllIsAlike * usualGrowth)));
  literal.copy(larger);
  return larger;
}

/** A value as JSON text in memory of its own. */
export function jsonTextOf(value: unknown): JsonText {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
