const longest = 80;

/** Formats a value for a message: as JSON, cut to a reasonable length. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
