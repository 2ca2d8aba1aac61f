import { TomlDocument } from '@decimalturn/toml-patch';

export type KeyPath = readonly (string | number)[];

/** Finds the line of a key in a manifest. Parsing positions is slow, so it happens only if there is a problem to report. */
export class KeyLocator {
  readonly #text: string;
  #lines: Map<string, number> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The line of the key, otherwise of the nearest enclosing table, otherwise null. */
  lineOf(path: KeyPath): number | null {
    this.#lines ??= indexLines(this.#text);
    for (let length = path.length; length > 0; length--) {
      const line = this.#lines.get(keyOf(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return null;
  }
}

const keyOf = (path: KeyPath) => JSON.stringify(path);

function indexLines(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  let nodes: Iterable<unknown>;
  try {
    nodes = new TomlDocument(text).cst;
  } catch {
    // The two TOML parsers disagree about this file. Report the problem without a line.
    return lines;
  }
  const note = (path: KeyPath, line: number) => {
    // `[a.b]` also defines a.
    for (let length = 1; length <= path.length; length++) {
      const key = keyOf(path.slice(0, length));
      if (!lines.has(key)) lines.set(key, line);
    }
  };
  const arrayLengths = new Map<string, number>();

  /** `[a.b]` after `[[a]]` refers to the last element of a. */
  const resolve = (names: readonly string[]): KeyPath => {
    let path: KeyPath = [];
    for (const name of names) {
      path = [...path, name];
      const length = arrayLengths.get(keyOf(path));
      if (length !== undefined) path = [...path, length - 1];
    }
    return path;
  };

  const visitValue = (node: unknown, path: KeyPath): void => {
    if (!isNode(node)) return;
    if (node.type === 'InlineTable')
      for (const item of children(node)) visitRow(Reflect.get(item, 'item'), path);
    if (node.type === 'InlineArray') {
      for (const [index, item] of children(node).entries()) {
        const element: unknown = Reflect.get(item, 'item');
        if (!isNode(element)) continue;
        note([...path, index], element.loc.start.line);
        visitValue(element, [...path, index]);
      }
    }
  };

  const visitRow = (node: unknown, table: KeyPath): void => {
    if (!isNode(node) || node.type !== 'KeyValue') return;
    const path = [...table, ...keyNames(Reflect.get(node, 'key'))];
    note(path, node.loc.start.line);
    visitValue(Reflect.get(node, 'value'), path);
  };

  for (const node of nodes) {
    if (!isNode(node)) continue;
    if (node.type === 'KeyValue') visitRow(node, []);
    if (node.type !== 'Table' && node.type !== 'TableArray') continue;
    const names = keyNames(Reflect.get(Object(Reflect.get(node, 'key')), 'item'));
    if (node.type === 'TableArray') {
      const whole = [...resolve(names.slice(0, -1)), ...names.slice(-1)];
      arrayLengths.set(keyOf(whole), (arrayLengths.get(keyOf(whole)) ?? 0) + 1);
      note(whole, node.loc.start.line);
    }
    const path = resolve(names);
    note(path, node.loc.start.line);
    for (const row of children(node)) visitRow(row, path);
  }
  return lines;
}

interface CstNode {
  type: string;
  loc: { start: { line: number } };
}

function isNode(value: unknown): value is CstNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'loc' in value;
}

function children(node: CstNode): object[] {
  const items: unknown = Reflect.get(node, 'items');
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** Far deeper than any manifest; the work for a key grows with the square of its length. */
const longestKey = 32;

function keyNames(key: unknown): string[] {
  const names: unknown = typeof key === 'object' && key !== null ? Reflect.get(key, 'value') : undefined;
  return Array.isArray(names) ? names.slice(0, longestKey).map(String) : [];
}
