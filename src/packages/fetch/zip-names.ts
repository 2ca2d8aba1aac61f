import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';

interface RawName {
  readonly bytes: Buffer;
  /** Whether the archive marks the name as UTF-8. */
  readonly isMarkedUtf8: boolean;
  readonly extraFields: readonly { readonly id: number; readonly data: Buffer }[];
}

const unicodePathField = 0x7075;

/**
 * Decodes the name of an entry. A name marked as UTF-8 is UTF-8. Info-ZIP adds the true name if it cannot be written otherwise. Any
 * other name that is not UTF-8 was written by a Chinese Windows. Unknown bytes become U+FFFD, which is refused.
 */
export function decodeZipName({ bytes, isMarkedUtf8, extraFields }: RawName): string {
  if (isMarkedUtf8) return bytes.toString();
  for (const { id, data } of extraFields) {
    // Valid only if it was written for this name.
    if (id !== unicodePathField || data.length < 6 || data[0] !== 1) continue;
    if (data.readUInt32LE(1) === crc32(bytes)) return data.subarray(5).toString();
  }
  return decodeName(bytes);
}

/** Decodes a name of unknown encoding: as UTF-8 if valid, otherwise as GBK. */
export function decodeName(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'gbk', { ignoreBOM: true }).decode(bytes);
}
