/** Names and values alternately, exactly as received. Node's own object keeps only the first of some repeated headers. */
export type HeaderList = readonly string[];

/** All values of a header. `name` is in lower case. */
export function valuesOf(headers: HeaderList, name: string): string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
}

/** The value of a header that occurs once; empty if it does not. */
export function onlyValue(headers: HeaderList, name = ''): string {
  const [value = '', ...others] = valuesOf(headers, name);
  return others.length === 0 ? value : '';
}
