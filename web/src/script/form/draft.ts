import type { Param } from '../../api/wire.ts';

/** What stands in a control: a text, or whether a switch is on. */
export type Draft = string | boolean;

/** What a control shows for a value; undefined for one that has none. */
export function draftOf({ type }: Pick<Param, 'type'>, value: unknown): Draft {
  if (type === 'bool' && typeof value !== 'string') return value === true;
  if (value === undefined) return '';
  switch (type) {
    case 'str':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'list':
      return Array.isArray(value) ? linesOf(value) : JSON.stringify(value);
    case 'int':
    case 'float':
    case 'bool':
      // An empty text stands for "not set yet" in many manifests, whatever the type is.
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'dict':
      return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    default:
      return typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value, null, 2);
  }
}

/** One entry a line where that says it all, and otherwise as JSON. */
export function linesOf(items: readonly unknown[]): string {
  const isPlain = items.every(
    (item, index) =>
      typeof item === 'string' &&
      item.trim() !== '' &&
      item === item.trim() &&
      !item.includes('\n') &&
      !(index === 0 && item.startsWith('[')),
  );
  return isPlain ? items.join('\n') : JSON.stringify(items);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
