import { tr } from '../language.ts';

/** East Asian scripts and emoji take two columns. Characters of ambiguous width are not used in the output. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1f2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const invisible = /^[\p{M}\p{Cf}]$/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (invisible.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** Cuts a text to the given width and ends it with dots. */
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

/** Pads a text with spaces after it, or before it. */
export function padToWidth(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? text + space : space + text;
}

/** Replaces control characters: names and messages are untrusted and must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, '?');
}

export function printableTexts<Answer extends object>(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer), (_key, value: unknown) =>
    typeof value === 'string' ? printable(value) : value,
  );
}

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

const gap = '  ';

export type Column<Item> = readonly [
  title: string,
  cell: (item: Item) => string,
  /** `paint` colours a padded cell. */
  style?: { readonly isNumber?: boolean; readonly paint?: (text: string) => string },
];

/** Formats a table with a row for each item. Lines longer than `lineWidth` are cut, not wrapped. */
export function formatTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  lineWidth = Number.POSITIVE_INFINITY,
): string[] {
  const rows = items.map((item) => columns.map(([, cell]) => printable(cell(item)).replaceAll('\n', ' ')));
  const lines = [columns.map(([title]) => title), ...rows];
  const widths = columns.map((_column, index) => Math.max(...lines.map((row) => widthOf(row[index] ?? ''))));
  return lines.map((row, number) => {
    const cells = columns.map(([, , style], index) =>
      padToWidth(row[index] ?? '', widths[index] ?? 0, style?.isNumber ? 'right' : 'left'),
    );
    const line = cutToWidth(cells.join(gap).trimEnd(), lineWidth);
    return number === 0 ? line : paintCells(line, cells, columns);
  });
}

/** Colours the cells after the line is cut, because colour codes take characters but no width. */
function paintCells<Item>(line: string, cells: readonly string[], columns: readonly Column<Item>[]): string {
  let [start, painted] = [0, ''];
  for (const [index, cell] of cells.entries()) {
    const text = line.slice(start, start + cell.length);
    const between = line.slice(start + cell.length, start + cell.length + gap.length);
    const paint = columns[index]?.[2]?.paint;
    painted += (paint === undefined || text === '' ? text : paint(text)) + between;
    start += cell.length + gap.length;
  }
  return painted;
}

/** A count with an English noun, in the plural unless the count is 1. */
export function formatCount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `2 errors and 1 note`. Counts of zero are left out. */
export function joinCounts(
  ...counts: readonly (readonly [count: number, english: string, chinese: string])[]
): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, english, chinese]) => tr(formatCount(count, english), `${count} ${chinese}`))
    .join(tr(' and ', '，'));
}

/** Local time to the minute: 2026-05-01 09:30. A dash if there is none. */
export function formatMinute(iso: string | null): string {
  const date = new Date(iso ?? '');
  if (Number.isNaN(date.getTime())) return '-';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** With seconds: slots and arrivals may be a few seconds apart. */
export function formatSecond(iso: string | null): string {
  const minute = formatMinute(iso);
  return minute === '-' ? minute : `${minute}:${String(new Date(iso ?? '').getSeconds()).padStart(2, '0')}`;
}
