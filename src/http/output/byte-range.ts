/** What a `Range` header asks for; `last` is the end of it, included, where one was named. */
export type ByteRange =
  | { readonly kind: 'from'; readonly first: number; readonly last: number | null }
  | { readonly kind: 'end'; readonly count: number };

/** The largest number that all readers of JSON and most of HTTP agree on: the end of what has none yet (RFC 8673). */
export const farthestByte = Number.MAX_SAFE_INTEGER;

/**
 * One range of bytes. Whatever else may be in the header is not taken up, and the answer is the whole then, as RFC 9110 allows:
 * several ranges, other units, what makes no sense. So it is with `If-Range`, since an output has no validator to compare.
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
