const longest = 80;

/** A value as it stands in a message: as JSON, and not longer than a message should be. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
