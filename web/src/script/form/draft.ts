import type { Param } from '../../api/wire.ts';

/** The content of a control: a text, or the state of a switch. */
export type Draft = string | boolean;

/** The draft for a value; `undefined` means no value. */
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
      // Many manifests use an empty string for "not set", for all types.
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'dict':
      return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    default:
      return typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value, null, 2);
  }
}

/** One entry per line if that is unambiguous, or else JSON. */
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
