/** A text as a shell takes it for one word. */
export function quoteWord(text: string): string {
  return /^[\p{L}\p{N}_./+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
