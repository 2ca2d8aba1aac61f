/** The path of a request target in the routes' spelling: without the query and without unnecessary percent escapes. */
export function pathOfTarget(target: string): string {
  const path = target.split('?', 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    // An invalid path matches no route, so its spelling does not matter.
    return path;
  }
}
