const unitMs = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Parses a duration such as `500ms`, `10s`, `1.5m`, `2h` or `7d`. Returns milliseconds, or null for any other text. */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?) ?(ms|[smhd])$/.exec(text.trim()) ?? [];
  const each = unitMs.get(unit);
  return each === undefined ? null : Math.round(Number(count) * each);
}
