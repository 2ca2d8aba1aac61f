/** The range in a `Range` header. `last` is inclusive; null: to the end. */
export type ByteRange =
  | { readonly kind: 'from'; readonly first: number; readonly last: number | null }
  | { readonly kind: 'end'; readonly count: number };

/** The end of a range that still grows (RFC 8673): the largest integer that JSON and HTTP clients read exactly. */
export const farthestByte = Number.MAX_SAFE_INTEGER;

/**
 * Parses a single range of bytes. Returns null for several ranges, other units and invalid values; the answer is then the whole
 * output, as RFC 9110 allows. `If-Range` also gives null, because an output has no validator to compare with.
 */
export function parseRange(header: string | undefined, isConditional: boolean): ByteRange | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (match === null || isConditional) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? null : { kind: 'end', count: toCount(last) };
  if (last === '') return { kind: 'from', first: toCount(first), last: null };
  const range = { kind: 'from', first: toCount(first), last: toCount(last) } as const;
  return range.first <= range.last ? range : null;
}

function toCount(digits: string): number {
  return Math.min(Number(digits), farthestByte);
}
