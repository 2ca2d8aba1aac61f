import type { NotificationType } from '../../contract/values.ts';

const titleCharacters = 200;
/** Longer texts are unreadable in a bubble, and two megabytes make a daemon hang. */
const bodyBytes = 4096;
const ellipsis = '…';

/** Control characters except tab and line feed. */
const controls = /(?![\t\n])\p{Cc}/gu;

/** Prefix of the title if a bubble cannot have an icon. */
const signs: Readonly<Record<NotificationType, string>> = { success: '✓ ', error: '✗ ', info: '' };

export function signedTitle(type: NotificationType, title: string): string {
  return `${signs[type]}${titleText(title)}`;
}

/** One line of plain text. The title of a bubble never has markup. */
export function titleText(title: string): string {
  const line = clean(title.slice(0, bodyBytes)).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  if (characters.length <= titleCharacters) return line;
  return characters.slice(0, titleCharacters - 1).join('') + ellipsis;
}

/** The body of the bubble. Escapes markup if the daemon interprets it. */
export function bodyText(message: string | null, hasMarkup: boolean): string {
  // Process only the part of a huge message that can be shown, plus a margin for removed characters.
  const cut = capBytes(clean((message ?? '').slice(0, 4 * bodyBytes)), bodyBytes);
  return hasMarkup ? cut.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : cut;
}

function clean(text: string): string {
  // A lone surrogate is not a character and has no UTF-8 form.
  return text
    .replace(/\r\n?/g, '\n')
    .replace(controls, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

function capBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most - Buffer.byteLength(ellipsis);
  // A byte that starts with bits 10 continues a character: do not cut before it.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + ellipsis;
}
