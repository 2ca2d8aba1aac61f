const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const;

/** The smallest round number that is not below the value and whose half is an integer. */
export function roundTop(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const top = steps.map((step) => step * power).find((value) => value >= most && Number.isInteger(value / 2));
  return top ?? 10 * power;
}

/** The columns that get a label: evenly spaced, at most `most`, always including the last. */
export function labelledColumns(count: number, most: number): ReadonlySet<number> {
  const step = Math.ceil(count / most);
  const labelled = new Set<number>();
  for (let column = count - 1; column >= 0; column -= step) labelled.add(column);
  return labelled;
}
