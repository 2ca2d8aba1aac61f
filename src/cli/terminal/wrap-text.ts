import { widthOf } from './text-width.ts';

/**
 * Possible line breaks: after a space, and in Chinese next to any character, except before closing and after opening punctuation.
 */
const breaks =
  /(?<= )|(?<=[\p{Script=Han}，。；：、？！）”])(?=[^，。；：、？！）” ])|(?<=[^（“ ])(?=[\p{Script=Han}（“])/u;

/** Wraps a text to the given width. A longer word gets its own line. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const piece of paragraph.split(breaks)) {
      const longer = line + piece;
      if (line !== '' && widthOf(longer.trimEnd()) > columns) {
        lines.push(line.trimEnd());
        line = piece;
      } else line = longer;
    }
    lines.push(line.trimEnd());
  }
  return lines;
}
