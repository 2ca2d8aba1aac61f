/** A progress bar: `[====>     ]`, with `length` columns between the brackets. */
export function bar(fraction: number, length: number): string {
  const done = Math.floor(fraction * length);
  const head = done < length ? '>' : '';
  return `[${'='.repeat(done)}${head}${' '.repeat(length - done - head.length)}]`;
}
