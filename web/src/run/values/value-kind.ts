/** Whether a text is an absolute path of any system. */
export function isPath(text: string): boolean {
  return text.length < 4096 && /^(?:\/[^/\n]|[A-Za-z]:[\\/]|\\\\[^\\\n])[^\n]*$/.test(text);
}

export type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

export function entriesOf(value: Container): [name: string, value: unknown][] {
  return Array.isArray(value)
    ? value.map((item, at): [string, unknown] => [String(at), item])
    : Object.entries(value);
}

const mostColumns = 6;

/** The columns of a list whose items have the same few plain fields; null if a tree is better. */
export function columnsOf(value: Container): readonly string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const [first] = value;
  if (!isContainer(first) || Array.isArray(first)) return null;
  const columns = Object.keys(first);
  if (columns.length === 0 || columns.length > mostColumns) return null;
  const isRow = (item: unknown) =>
    isContainer(item) &&
    !Array.isArray(item) &&
    Object.keys(item).join('\0') === columns.join('\0') &&
    Object.values(item).every((cell) => !isContainer(cell) && String(cell).length <= 200);
  return value.every(isRow) ? columns : null;
}
