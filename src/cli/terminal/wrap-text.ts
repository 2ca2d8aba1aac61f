import { widthOf } from './text-width.ts';

/**
 * Where a line may end: behind a space, and in Chinese beside any character, though no line begins with a mark that closes something or
 * ends with one that opens it.
 */
const breaks =
  /(?<= )|(?<=[\p{Script=Han}，。；：、？！）”])(?=[^，。；：、？！）” ])|(?<=[^（“ ])(?=[\p{Script=Han}（“])/u;

/** Breaks a text into lines of so many columns. A word that is longer stands on a line of its own. */
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
