/** How many names of a path are below the folder of all scripts at most: that of a group and that of the script. */
const deepest = 2;

/**
 * Says where each of some folders is, without what all of them are below: who searches means the script, and not where scripts are kept on
 * this machine.
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
