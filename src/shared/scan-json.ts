import { forbiddenKeys, type JsonHazard, maxJsonDepth } from './json.ts';
import type { Text } from './text.ts';

/** A member of the outermost object, with the positions of its parts in the text. */
export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export type JsonScan =
  /** The start and end of the value, without surrounding white space. */
  | { kind: 'object' | 'other'; start: number; end: number }
  /** `at`: the first invalid byte; the length of the text if it ends too early. */
  | { kind: 'malformed'; at: number }
  | { kind: 'hazard'; hazard: JsonHazard | { kind: 'number'; text: string } };

/**
 * Checks JSON in UTF-8 from start to end without building its value, which for a hostile text could need many times its
 * size. It also checks the parts that a parser would drop, such as the first of two equal keys, so that a valid text
 * can be passed on unchanged. Reports the members of the outermost object that have one of these names.
 */
export function scanJson(
  bytes: Uint8Array,
  names: readonly string[],
  onMember: (member: Member) => void,
): JsonScan {
  const keys = [...names, ...forbiddenKeys].map((name) => ({
    name,
    literal: Buffer.from(JSON.stringify(name)),
  }));
  try {
    return scan(bytes, keys, onMember);
  } catch (error) {
    if (error instanceof Flaw) return error.found;
    throw error;
  }
}

interface KnownKey {
  readonly name: string;
  readonly literal: Uint8Array;
}

class Flaw extends Error {
  readonly found: JsonScan;

  constructor(found: JsonScan) {
    super(found.kind);
    this.found = found;
  }
}

const malformed = (at: number) => new Flaw({ kind: 'malformed', at });

const char = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  plus: 0x2b,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  a: 0x61,
  e: 0x65,
  f: 0x66,
  u: 0x75,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** The bit that converts a capital letter to a small one. */
const smallLetter = 0x20;

function scan(bytes: Uint8Array, keys: readonly KnownKey[], onMember: (member: Member) => void): JsonScan {
  /** The closing character of each open container. */
  const open: number[] = [];
  const start = skipSpace(bytes, 0);
  const isObject = bytes[start] === char.openObject;
  let at = start;
  let member: { key: string | null; keyStart: number; valueStart: number } = {
    key: null,
    keyStart: at,
    valueStart: at,
  };

  const takeKey = () => {
    const keyStart = at;
    if (bytes[at] !== char.quote) throw malformed(at);
    at = skipString(bytes, at);
    const key = keyAt(bytes, keyStart, at, keys);
    if (key !== null && forbiddenKeys.has(key))
      throw new Flaw({ kind: 'hazard', hazard: { kind: 'key', key } });
    at = skipSpace(bytes, at);
    if (bytes[at] !== char.colon) throw malformed(at);
    at = skipSpace(bytes, at + 1);
    if (open.length === 1) member = { key, keyStart, valueStart: at };
  };

  for (;;) {
    const first = bytes[at];
    if (first === char.openObject || first === char.openList) {
      const close = first === char.openObject ? char.closeObject : char.closeList;
      open.push(close);
      if (open.length > maxJsonDepth) throw new Flaw({ kind: 'hazard', hazard: { kind: 'depth' } });
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== close) {
        if (close === char.closeObject) takeKey();
        continue;
      }
      open.pop();
      at++;
    } else {
      at = skipScalar(bytes, at);
    }

    // After the end of a value, its containers may end too.
    for (;;) {
      if (member.key !== null && open.length === 1) onMember({ ...member, key: member.key, valueEnd: at });
      const end = at;
      at = skipSpace(bytes, at);
      const close = open.at(-1);
      if (close === undefined) {
        if (at < bytes.length) throw malformed(at);
        return { kind: isObject ? 'object' : 'other', start, end };
      }
      if (bytes[at] === char.comma) {
        at = skipSpace(bytes, at + 1);
        if (close === char.closeObject) takeKey();
        break;
      }
      if (bytes[at] !== close) throw malformed(at);
      open.pop();
      at++;
    }
  }
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

function skipString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; ; at++) {
    // The end of the text counts as a zero byte, which is invalid in a string.
    const byte = bytes[at] ?? 0;
    if (byte === char.quote) return at + 1;
    if (byte < 0x20) throw malformed(at);
    if (byte === char.backslash) at = skipEscape(bytes, at);
  }
}

const shortEscapes = new Set(Buffer.from('"\\/bfnrt'));

/** Returns the position of the last byte of an escape. */
function skipEscape(bytes: Uint8Array, start: number): number {
  const kind = bytes[start + 1] ?? 0;
  if (shortEscapes.has(kind)) return start + 1;
  if (kind !== char.u) throw malformed(start + 1);
  for (let at = start + 2; at < start + 6; at++) if (!isHexDigit(bytes[at] ?? 0)) throw malformed(at);
  return start + 5;
}

const words = ['true', 'false', 'null'].map((word) => Buffer.from(word));

function skipScalar(bytes: Uint8Array, start: number): number {
  const first = bytes[start] ?? 0;
  if (first === char.quote) return skipString(bytes, start);
  if (first === char.minus || isDigit(first)) return skipNumber(bytes, start);
  const word = words.find((each) => each[0] === first);
  if (word === undefined || !holds(bytes, start, word)) throw malformed(start);
  return start + word.length;
}

/** A number without an exponent must be longer than this to exceed the range of a double. */
const safeDigits = 300;

function skipNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === char.minus ? start + 1 : start;
  at = bytes[at] === char.zero ? at + 1 : skipDigits(bytes, at);
  if (bytes[at] === char.dot) at = skipDigits(bytes, at + 1);
  const hasExponent = ((bytes[at] ?? 0) | smallLetter) === char.e;
  if (hasExponent) {
    const sign = bytes[at + 1];
    at = skipDigits(bytes, sign === char.plus || sign === char.minus ? at + 2 : at + 1);
  }
  if ((hasExponent || at - start > safeDigits) && !Number.isFinite(Number(textAt(bytes, start, at)))) {
    const text = textAt(bytes, start, Math.min(at, start + 20));
    throw new Flaw({ kind: 'hazard', hazard: { kind: 'number', text } });
  }
  return at;
}

/** Skips digits, at least one. */
function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? 0)) at++;
  if (at === start) throw malformed(at);
  return at;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | smallLetter) >= char.a && (byte | smallLetter) <= char.f);
}

function isDigit(byte: number): boolean {
  return byte >= char.zero && byte <= char.nine;
}

/** No relevant key is longer, even with every character escaped. */
const longestEscapedBytes = 6 * 16;

/**
 * Returns the key at this position if it is relevant. Most are not, and decoding all of them would take longer than the
 * rest of the scan.
 */
function keyAt(bytes: Uint8Array, start: number, end: number, keys: readonly KnownKey[]): string | null {
  const size = end - start;
  for (const key of keys) {
    if (key.literal.length === size && holds(bytes, start, key.literal)) return key.name;
  }
  if (size > longestEscapedBytes || !hasEscape(bytes, start, end)) return null;
  const name: string = JSON.parse(textAt(bytes, start, end));
  return keys.some((key) => key.name === name) ? name : null;
}

function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === char.backslash) return true;
  return false;
}

function holds(bytes: Uint8Array, start: number, what: Uint8Array): boolean {
  for (let at = 0; at < what.length; at++) if (bytes[start + at] !== what[at]) return false;
  return true;
}

function textAt(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', start, end);
}

const unknown: Text = { en: '', zh: '' };

const ends: Text = { en: ': it ends too early', zh: '：内容不完整' };

/**
 * Describes where a text stops being valid JSON, to be appended to a message. The message of the parser itself is not
 * used, because it often quotes the text, which may contain a secret.
 */
export function whereNotJson(text: string): Text {
  const bytes = Buffer.from(text);
  const scan = scanJson(bytes, [], () => {});
  if (scan.kind !== 'malformed') return unknown;
  if (scan.at >= bytes.length) return ends;
  const before = bytes.subarray(0, scan.at).toString().split('\n');
  const [line, column] = [before.length, [...(before.at(-1) ?? '')].length + 1];
  return { en: `: see line ${line}, column ${column}`, zh: `：见第 ${line} 行第 ${column} 列` };
}
