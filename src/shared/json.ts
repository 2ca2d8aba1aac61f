import { allAtOnce, type Steps } from './steps.ts';

/** JSON in UTF-8 that is passed on unchanged, neither parsed nor copied. */
export type JsonText = Uint8Array;

const quote = 0x22;

/** Bytes escaped at once: a string of a whole large text would need several times its size. */
const pieceBytes = 64 * 1024;

/** Bytes escaped in one step. */
const stepBytes = 4 * pieceBytes;

/** Estimated growth of ordinary text by escaping. */
const usualGrowth = 1.05;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deep enough for any normal document, and far below the depth at which `JSON.stringify` throws. */
export const maxJsonDepth = 64;

/** With these keys, a careless `Object.assign` could change the prototype of objects. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type JsonHazard = { kind: 'depth' } | { kind: 'key'; key: string };

/**
 * Returns the reason why a parsed document must not be passed on, or undefined. Iterative, because the documents that
 * it must detect are nested deeper than the stack.
 */
export function findJsonHazard(root: unknown): JsonHazard | { kind: 'number' } | undefined {
  const pending: { value: object; depth: number }[] = [];
  // A number beyond the range of a double is parsed as infinite, and would be written as null.
  let isBeyond = false;
  // Only containers are kept for later, so a list of a million numbers costs no memory.
  const consider = (value: unknown, depth: number) => {
    if (typeof value === 'object' && value !== null) pending.push({ value, depth });
    else if (typeof value === 'number' && !Number.isFinite(value)) isBeyond = true;
  };
  consider(root, 1);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > maxJsonDepth) return { kind: 'depth' };
    if (Array.isArray(value)) {
      for (const item of value) consider(item, depth + 1);
      continue;
    }
    // Looks the keys up directly, and reads keys only, because the entries of a large object cost several times as
    // much.
    for (const key of forbiddenKeys) if (Object.hasOwn(value, key)) return { kind: 'key', key };
    for (const key of Object.keys(value)) consider(Reflect.get(value, key), depth + 1);
  }
  return isBeyond ? { kind: 'number' } : undefined;
}

/**
 * Joins texts in UTF-8 to one JSON string literal, like `JSON.stringify`. Each piece is passed to `JSON.stringify` as
 * latin1, one character per byte. The characters that it escapes are single bytes in UTF-8 too, and all other bytes
 * stay unchanged.
 */
export function jsonLiteral(...utf8: readonly Uint8Array[]): JsonText {
  const textBytes = sizeOf(utf8);
  return textBytes <= pieceBytes ? shortLiteral(utf8, textBytes) : allAtOnce(literalSteps(...utf8));
}

/** Like `jsonLiteral`, in steps, for large input. */
export function* literalSteps(...utf8: readonly Uint8Array[]): Steps<JsonText> {
  const textBytes = sizeOf(utf8);
  if (textBytes <= pieceBytes) return shortLiteral(utf8, textBytes);
  let literal: Buffer = Buffer.allocUnsafeSlow(Math.ceil(textBytes * usualGrowth));
  let end = literal.writeUInt8(quote);
  let taken = 0;
  for (const text of utf8) {
    for (let start = 0; start < text.length; start += pieceBytes) {
      const piece = text.subarray(start, start + pieceBytes);
      const content = escaped(piece).slice(1, -1);
      taken += piece.length;
      // Includes a byte for the closing quote.
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

function sizeOf(utf8: readonly Uint8Array[]): number {
  return utf8.reduce((sum, { length }) => sum + length, 0);
}

function shortLiteral(utf8: readonly Uint8Array[], textBytes: number): JsonText {
  return bytesOf(escaped(Buffer.concat(utf8, textBytes)));
}

function escaped(utf8: Uint8Array): string {
  return JSON.stringify(Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length).toString('latin1'));
}

/** Allocates separate memory instead of a part of a shared pool, so that it can be transferred to another thread. */
function bytesOf(literal: string): JsonText {
  const bytes = Buffer.allocUnsafeSlow(literal.length);
  bytes.write(literal, 'latin1');
  return bytes;
}

/** Grows to the estimated final size, and at least by half, because a copy takes longer than a step. */
function enlarged(
  literal: Buffer,
  { needed, ifAllIsAlike }: { needed: number; ifAllIsAlike: number },
): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.ceil(Math.max(needed * 1.5, ifAllIsAlike * usualGrowth)));
  literal.copy(larger);
  return larger;
}

/** Serializes a value as JSON text in separate memory. */
export function jsonTextOf(value: unknown): JsonText {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

export function textOf(utf8: Uint8Array): string {
  return Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength).toString();
}
