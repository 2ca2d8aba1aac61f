import type { Json } from '../../shared/json.ts';

/** A value for a shell: texts as they are, all other values as JSON. */
export function shownValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
