/** Scripts of East Asia and emoji take two columns. (Characters that some fonts draw wide and others do not are not used.) */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1f2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const invisible = /^[\p{M}\p{Cf}]$/u;

/** How many columns a text takes in a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (invisible.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** As much of a text as fits, with dots where the rest was. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const dots = '.'.repeat(Math.max(0, Math.min(3, columns)));
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > columns - dots.length) break;
    kept += character;
  }
  return kept + dots;
}

/** Fills a text up with spaces behind it, or before it. */
export function padToWidth(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? text + space : space + text;
}

/** Names and messages come from files and from other machines: in a terminal they must not do more than stand there. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, '?');
}
