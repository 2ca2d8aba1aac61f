export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deep enough for any normal document, and far below the depth at which `JSON.stringify` throws. */
export const maxJsonDepth = 64;

/** With these keys, a careless `Object.assign` could change the prototype of objects. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type JsonHazard = { kind: 'depth' } | { kind: 'key'; key: string };

/**
 * Returns the reason why a parsed document must not be passed on, or undefined. Iterative, because the documents that
 * it must detect are nested deeper than the stack.
 */
export function findJsonHazard(root: unknown): JsonHazard | { kind: 'number' } | undefined {
  const pending: { value: object; depth: number }[] = [];
  // A number beyond the range of a double is parsed as infinite, and would be written as null.
  let isBeyond = false;
  // Only containers are kept for later, so a list of a million numbers costs no memory.
  const consider = (value: unknown, depth: number) => {
    if (typeof value === 'object' && value !== null) pending.push({ value, depth });
    else if (typeof value === 'number' && !Number.isFinite(value)) isBeyond = true;
  };
  consider(root, 1);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > maxJsonDepth) return { kind: 'depth' };
    if (Array.isArray(value)) {
      for (const item of value) consider(item, depth + 1);
      continue;
    }
    // Looks the keys up directly, and reads keys only, because the entries of a large object cost several times as
    // much.
    for (const key of forbiddenKeys) if (Object.hasOwn(value, key)) return { kind: 'key', key };
    for (const key of Object.keys(value)) consider(Reflect.get(value, key), depth + 1);
  }
  return isBeyond ? { kind: 'number' } : undefined;
}
