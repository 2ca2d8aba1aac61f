/** The path that a target names, as the routes see it: without the query, and without the escapes that a caller need not use. */
export function pathOfTarget(target: string): string {
  const path = target.split('?', 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    // It leads nowhere, so its spelling does not matter.
    return path;
  }
}
