/** Maximum depth below the scripts folder: a group and the script. */
const deepest = 2;

/**
 * Returns a function that shortens a folder to its part below the common parent of all folders. A search should match the script, not the
 * location of the scripts folder.
 */
export function placeNames(folders: readonly string[]): (folder: string) => string {
  const [first = [], ...others] = folders.map((folder) => namesIn(folder).slice(0, -1));
  const ending = first.findIndex((name, at) => others.some((names) => names[at] !== name));
  const shared = ending < 0 ? first.length : ending;
  return (folder) => namesIn(folder).slice(shared).slice(-deepest).join('/');
}

function namesIn(path: string): string[] {
  return path.split(/[\\/]/);
}
