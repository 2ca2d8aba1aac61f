/** JSON in UTF-8 that is passed on as it is, neither parsed nor copied. */
export type JsonText = Uint8Array;

const quote = 0x22;
const backslash = 0x5c;

/** How each byte below a space is written in a literal, as `JSON.stringify` does it; so are the quote and the backslash. */
const escapes: readonly (Uint8Array | null)[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === quote || byte === backslash
    ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    : null,
);
const literalBytes = Uint8Array.from(escapes, (escaped) => escaped?.length ?? 1);

/**
 * Texts in UTF-8, one after the other, as one JSON string literal: what `JSON.stringify` gives, without making a string of
 * it first, which for large texts would cost several times their size.
 */
export function jsonLiteral(...utf8: readonly Uint8Array[]): JsonText {
  const size = utf8.reduce((sum, text) => sum + literalSize(text), 2);
  // Memory of its own, not a part of a shared pool: it may be handed to another thread.
  const literal = Buffer.allocUnsafeSlow(size);
  literal[0] = quote;
  utf8.reduce((at, text) => writeLiteral(literal, at, text), 1);
  literal[size - 1] = quote;
  return literal;
}

// Plain loops over the bytes: an iterator, or a call for each of them, takes several times as long.
function literalSize(text: Uint8Array): number {
  let size = 0;
  for (let index = 0; index < text.length; index++) size += literalBytes[text[index] ?? 0] ?? 1;
  return size;
}

function writeLiteral(literal: Uint8Array, start: number, text: Uint8Array): number {
  let at = start;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0;
    if (literalBytes[byte] === 1) {
      literal[at++] = byte;
      continue;
    }
    const escaped = escapes[byte] ?? [];
    for (let part = 0; part < escaped.length; part++) literal[at++] = escaped[part] ?? 0;
  }
  return at;
}

/** A value as JSON text in memory of its own. */
export function jsonTextOf(value: unknown): JsonText {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
