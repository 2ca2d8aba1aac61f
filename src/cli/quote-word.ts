/** Quotes a text so that a shell reads it as one word. */
export function quoteWord(text: string): string {
  return /^[\p{L}\p{N}_./+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
