/** Device names that Windows reserves, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
const longestBytes = 200;

/** Joins texts to a file name that is valid on every system and still readable: `图片-放大-1.0.0`. */
export function safeFileName(...texts: readonly string[]): string {
  const base = texts
    .map(safe)
    .filter((part) => part !== '')
    .join('-');
  let cut = '';
  for (const character of base) {
    if (Buffer.byteLength(cut + character) > longestBytes) break;
    cut += character;
  }
  const isFree = cut !== '' && !reserved.test(cut);
  return isFree ? cut : `script${cut === '' ? '' : `-${cut}`}`;
}

function safe(text: string): string {
  return (
    text
      .normalize('NFC')
      // Characters with a meaning in paths, in shells or on Windows, and invisible characters.
      .replace(/[\\/:*?"'<>|`$&;!#%~()[\]{}\p{C}\p{Z}\s]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
  );
}
