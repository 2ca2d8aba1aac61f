import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';

interface RawName {
  readonly bytes: Buffer;
  /** Whether the archive says that the name is UTF-8. */
  readonly isMarkedUtf8: boolean;
  readonly extraFields: readonly { readonly id: number; readonly data: Buffer }[];
}

const unicodePathField = 0x7075;

/**
 * The name of an entry as its author saw it. What says that it is UTF-8 is; Info-ZIP puts the true name beside one that it could not
 * write otherwise; and of the rest, what is no UTF-8 was written by a Chinese Windows. Unknown bytes become U+FFFD, which is refused.
 */
export function decodeZipName({ bytes, isMarkedUtf8, extraFields }: RawName): string {
  if (isMarkedUtf8) return bytes.toString();
  for (const { id, data } of extraFields) {
    // It counts only when it was made for this very name.
    if (id !== unicodePathField || data.length < 6 || data[0] !== 1) continue;
    if (data.readUInt32LE(1) === crc32(bytes)) return data.subarray(5).toString();
  }
  return decodeName(bytes);
}

/** A name of unknown encoding: UTF-8 if it is that, else GBK. */
export function decodeName(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'gbk', { ignoreBOM: true }).decode(bytes);
}
