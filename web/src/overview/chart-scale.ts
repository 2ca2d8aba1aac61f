const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const;

/** The first round number that is not below and has a whole number in its middle. */
export function roundTop(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const top = steps.map((step) => step * power).find((value) => value >= most && Number.isInteger(value / 2));
  return top ?? 10 * power;
}

/** Which of so many columns have a label below: evenly, the last one always, and not more than there is room for. */
export function labelledColumns(count: number, most: number): ReadonlySet<number> {
  const step = Math.ceil(count / most);
  const labelled = new Set<number>();
  for (let column = count - 1; column >= 0; column -= step) labelled.add(column);
  return labelled;
}
