import { cutToWidth, padToWidth, printable, widthOf } from './text-width.ts';

const gap = '  ';

interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** Lines of a table. Where there is a terminal, lines are cut rather than broken. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  lineWidth = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(oneLine))];
  const widths = columns.map((_column, index) => Math.max(...lines.map((row) => widthOf(row[index] ?? ''))));
  return lines.map((row) => {
    const cells = columns.map(({ isNumber = false }, index) =>
      padToWidth(row[index] ?? '', widths[index] ?? 0, isNumber ? 'right' : 'left'),
    );
    return cutToWidth(cells.join(gap).trimEnd(), lineWidth);
  });
}

function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}
