const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const gb18030 = new TextDecoder('gb18030', { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Bytes of unknown encoding as text: UTF-8 if they are, else GB18030 if they decode cleanly (Chinese Windows programs
 * write it), else UTF-8 with replacement characters. Never throws.
 */
export function decodeText(bytes: Uint8Array): string {
  for (const decoder of [utf8, gb18030]) {
    try {
      return decoder.decode(bytes);
    } catch {
      // Not this encoding; the next one, or the lenient decoder, takes it.
    }
  }
  return lenientUtf8.decode(bytes);
}

const longestCharacterBytes = 4;

/** Like `decodeText`, for a part of a text: the bytes of a character that was cut at its start or end are left out. */
export function decodePart(bytes: Uint8Array, cut: 'start' | 'end'): { text: string; usedBytes: number } {
  for (const decoder of [utf8, gb18030]) {
    for (let dropped = 0; dropped < Math.min(longestCharacterBytes, bytes.length + 1); dropped++) {
      const part = cut === 'start' ? bytes.subarray(dropped) : bytes.subarray(0, bytes.length - dropped);
      try {
        return { text: decoder.decode(part), usedBytes: part.length };
      } catch {
        // Cut further inside the character, or not this encoding.
      }
    }
  }
  return { text: lenientUtf8.decode(bytes), usedBytes: bytes.length };
}

/** Like `decodeText`, for files: a byte order mark decides the encoding (PowerShell 5.1 writes UTF-16) and is dropped. */
export function decodeFileText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const text = decodeText(bytes);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
