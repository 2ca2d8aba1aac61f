/** The most similar name, if it is similar enough to be a typing error; else null. */
export function nearestName(wanted: string, names: readonly string[]): string | null {
  const lower = wanted.toLowerCase();
  const measured = names
    .map((name) => ({ name, distance: distanceOf(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [nearest] = measured;
  const most = Math.ceil(wanted.length / 3);
  return nearest !== undefined && nearest.distance <= most ? nearest.name : null;
}

/** Levenshtein distance: inserted, deleted and replaced characters. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
