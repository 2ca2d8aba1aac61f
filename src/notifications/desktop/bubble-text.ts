const titleCharacters = 200;
/** Two megabytes make a daemon stall, and nobody reads more than this in a bubble. */
const bodyBytes = 4096;
const ellipsis = '…';

/** NUL, bell, escape and the like, but not the tab and the end of a line. */
const controls = /(?![\t\n])\p{Cc}/gu;

/** One line of plain text. The title of a bubble never has markup. */
export function titleText(title: string): string {
  const line = clean(title.slice(0, bodyBytes)).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  if (characters.length <= titleCharacters) return line;
  return characters.slice(0, titleCharacters - 1).join('') + ellipsis;
}

/** The text below it. Where the daemon reads markup, what looks like it is written so that it shows as it was sent. */
export function bodyText(message: string | null, hasMarkup: boolean): string {
  // Of a message of megabytes only what can be shown is looked at, with some room for what is left out.
  const cut = capBytes(clean((message ?? '').slice(0, 4 * bodyBytes)), bodyBytes);
  return hasMarkup ? cut.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : cut;
}

function clean(text: string): string {
  // Half of a pair is no character, and no UTF-8 either.
  return text
    .replace(/\r\n?/g, '\n')
    .replace(controls, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

function capBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most - Buffer.byteLength(ellipsis);
  // A byte that begins with 10 continues a character: it must not be torn from its beginning.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + ellipsis;
}
