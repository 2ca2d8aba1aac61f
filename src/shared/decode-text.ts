import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

import { textOf } from './json.ts';
import { allAtOnce, type Steps } from './steps.ts';

/**
 * Converts bytes of unknown encoding to UTF-8. UTF-8 stays unchanged. Other bytes are decoded as GB18030 if they are
 * valid (Chinese Windows programs write it), otherwise with replacement characters. Never throws.
 */
export function toUtf8(bytes: Uint8Array): Uint8Array {
  return allAtOnce(utf8Steps(bytes));
}

/** Like `toUtf8`, in steps, for large input. */
export function* utf8Steps(bytes: Uint8Array): Steps<Uint8Array> {
  if (isUtf8(bytes)) return bytes;
  const fromGb18030 = yield* gb18030Steps(bytes);
  return fromGb18030 ?? (yield* transcodeSteps(bytes, new TextDecoder('utf-8', { ignoreBOM: true })));
}

const longestCharacterBytes = 4;

interface Utf8Part {
  readonly utf8: Uint8Array;
  readonly usedBytes: number;
}

/** Like `toUtf8`, for a part of a text: omits the bytes of a character that was cut at the start or end. */
export function partToUtf8(bytes: Uint8Array, cut: 'start' | 'end'): Utf8Part {
  return allAtOnce(utf8PartSteps(bytes, cut));
}

/** Like `partToUtf8`, in steps, for large input. */
export function* utf8PartSteps(bytes: Uint8Array, cut: 'start' | 'end'): Steps<Utf8Part> {
  const parts = Array.from({ length: Math.min(longestCharacterBytes, bytes.length + 1) }, (_, dropped) =>
    cut === 'start' ? bytes.subarray(dropped) : bytes.subarray(0, bytes.length - dropped),
  );
  const part = parts.find((each) => isUtf8(each));
  if (part !== undefined) return { utf8: part, usedBytes: part.length };
  for (const each of parts) {
    const utf8 = yield* gb18030Steps(each);
    if (utf8 !== null) return { utf8, usedBytes: each.length };
  }
  return { utf8: yield* utf8Steps(bytes), usedBytes: bytes.length };
}

interface Gb18030Part extends Utf8Part {
  /** The omitted bytes before the used ones. */
  readonly skippedBytes: number;
}

/** Decodes a part of a text as GB18030, without the bytes of characters that were cut. Null if it is not valid. */
export function* gb18030PartSteps(
  bytes: Uint8Array,
  { isCutAtStart, isCutAtEnd }: { isCutAtStart: boolean; isCutAtEnd: boolean },
): Steps<Gb18030Part | null> {
  const mostSkipped = isCutAtStart ? longestCharacterBytes - 1 : 0;
  const mostCut = isCutAtEnd ? longestCharacterBytes - 1 : 0;
  for (let skippedBytes = 0; skippedBytes <= mostSkipped; skippedBytes++) {
    for (let cut = 0; cut <= mostCut; cut++) {
      const part = bytes.subarray(skippedBytes, Math.max(skippedBytes, bytes.length - cut));
      const utf8 = yield* gb18030Steps(part);
      if (utf8 !== null) return { utf8, skippedBytes, usedBytes: part.length };
    }
  }
  return null;
}

/** Like `toUtf8`, for files: a byte order mark determines the encoding (PowerShell 5.1 writes UTF-16) and is removed. */
export function fileToUtf8(bytes: Uint8Array): Uint8Array {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return transcode(bytes, new TextDecoder('utf-16le'));
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return transcode(bytes, new TextDecoder('utf-16be'));
  const utf8 = toUtf8(bytes);
  const isMarked = utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf;
  return isMarked ? utf8.subarray(3) : utf8;
}

export function decodeText(bytes: Uint8Array): string {
  return textOf(toUtf8(bytes));
}

export function decodeFileText(bytes: Uint8Array): string {
  return textOf(fileToUtf8(bytes));
}

function* gb18030Steps(bytes: Uint8Array): Steps<Uint8Array | null> {
  try {
    return yield* transcodeSteps(bytes, new TextDecoder('gb18030', { fatal: true, ignoreBOM: true }));
  } catch {
    return null;
  }
}

/**
 * Decodes in pieces: the text of a large file would fill the small heap of the thread that reads it, and block other
 * work.
 */
const pieceBytes = 64 * 1024;

function transcode(bytes: Uint8Array, decoder: TextDecoder): Uint8Array {
  return allAtOnce(transcodeSteps(bytes, decoder));
}

function* transcodeSteps(bytes: Uint8Array, decoder: TextDecoder): Steps<Uint8Array> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    if (start > 0) yield;
    const stream = start + pieceBytes < bytes.length;
    pieces.push(Buffer.from(decoder.decode(bytes.subarray(start, start + pieceBytes), { stream })));
  }
  return Buffer.concat(pieces);
}
