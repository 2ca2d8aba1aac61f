/** Names that Windows keeps for devices, whatever stands behind the dot. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
const longestBytes = 200;

/** Texts as one name that every system takes, in which they can still be read: `图片-放大-1.0.0`. */
export function safeFileName(...texts: readonly string[]): string {
  const base = texts
    .map(safe)
    .filter((part) => part !== '')
    .join('-');
  const cut = cutToBytes(base, longestBytes);
  const isFree = cut !== '' && !reserved.test(cut);
  return isFree ? cut : `script${cut === '' ? '' : `-${cut}`}`;
}

function safe(text: string): string {
  return (
    text
      .normalize('NFC')
      // What a path, a shell or Windows reads as something else, and what nobody sees.
      .replace(/[\\/:*?"'<>|`$&;!#%~()[\]{}\p{C}\p{Z}\s]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
  );
}

function cutToBytes(text: string, bytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break;
    kept += character;
  }
  return kept;
}
