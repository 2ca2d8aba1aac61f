import { cutToWidth, padToWidth, printable, widthOf } from './text-width.ts';

const gap = '  ';

interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Colours a padded cell. */
  readonly paint?: (text: string) => string;
}

/** Formats a table. Lines longer than `lineWidth` are cut, not wrapped. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  lineWidth = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(oneLine))];
  const widths = columns.map((_column, index) => Math.max(...lines.map((row) => widthOf(row[index] ?? ''))));
  return lines.map((row, number) => {
    const cells = columns.map(({ isNumber = false }, index) =>
      padToWidth(row[index] ?? '', widths[index] ?? 0, isNumber ? 'right' : 'left'),
    );
    const line = cutToWidth(cells.join(gap).trimEnd(), lineWidth);
    return number === 0 ? line : paintCells(line, cells, columns);
  });
}

/** Colours the cells after the line is cut, because colour codes take characters but no width. */
function paintCells(line: string, cells: readonly string[], columns: readonly Column[]): string {
  let [start, painted] = [0, ''];
  for (const [index, cell] of cells.entries()) {
    const text = line.slice(start, start + cell.length);
    const between = line.slice(start + cell.length, start + cell.length + gap.length);
    const paint = columns[index]?.paint;
    painted += (paint === undefined || text === '' ? text : paint(text)) + between;
    start += cell.length + gap.length;
  }
  return painted;
}

function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}
