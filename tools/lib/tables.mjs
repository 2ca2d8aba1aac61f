/** Renders a table in Markdown. */
export function tableText({ columns, rows }) {
  const line = (cells) => `| ${cells.map((cell) => cell ?? '').join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)];
}

/** Renders the lines of a table for a terminal, with numbers aligned right. */
export function alignedText({ columns, rows }) {
  const lines = [columns, ...rows].map((cells) => cells.map((cell) => String(cell ?? '')));
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  const isText = (at) => rows.some((cells) => typeof cells[at] === 'string');
  const pad = (cell, at) => (isText(at) ? cell.padEnd(widths[at]) : cell.padStart(widths[at]));
  return lines.map((cells) => cells.map(pad).join('  ').trimEnd());
}
