/** The first round number that is not below: 1, 2 or 5 times a power of ten, which has a whole number in its middle from 2 on. */
export function roundTop(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const top = [1, 2, 4, 6, 8, 10].map((times) => times * power).find((each) => each >= most);
  return top ?? most;
}

/** Which of so many columns have a label below: evenly, the last one always, and not more than there is room for. */
export function labelledColumns(count: number, most: number): ReadonlySet<number> {
  const step = Math.ceil(count / most);
  const labelled = new Set<number>();
  for (let column = count - 1; column >= 0; column -= step) labelled.add(column);
  return labelled;
}
