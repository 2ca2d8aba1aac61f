/**
 * Where a text stopped being JSON, for a message: `: … at position 12`. Some of what the parser says quotes the text, in which there
 * may be a secret; of that nothing is repeated.
 */
export function whereNotJson(error: unknown): string {
  if (!(error instanceof SyntaxError)) return '';
  const isPlace = / at position \d+(?: \(line \d+ column \d+\))?$/.test(error.message);
  return isPlace || error.message === 'Unexpected end of JSON input' ? `: ${error.message}` : '';
}
