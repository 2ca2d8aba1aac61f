import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Package folders of an interpreter, cached by the state of the folder. */
const known = new Map<string, { changedMs: number; folders: readonly string[] }>();

/**
 * Whether a module called `hob` is installed for a Python: in its environment, in its own folders, or in the folder of the user.
 * Cached, because it is called before every run.
 */
export function hasOwnHob(python: string, env: Readonly<Record<string, string>>): boolean {
  const prefix = dirname(dirname(python));
  const libraries = [join(prefix, 'lib'), join(prefix, 'local', 'lib'), join(prefix, 'Lib')];
  const { HOME } = env;
  if (HOME !== undefined && HOME !== '') libraries.push(join(HOME, '.local', 'lib'));
  return libraries
    .flatMap(packageFolders)
    .some((folder) => existsSync(join(folder, 'hob')) || existsSync(join(folder, 'hob.py')));
}

function packageFolders(library: string): readonly string[] {
  try {
    // Most of these folders do not exist, and a check is faster than an exception.
    const mtimeMs = statSync(library, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined) return [];
    const before = known.get(library);
    if (before?.changedMs === mtimeMs) return before.folders;
    const folders = readdirSync(library)
      .filter((name) => /^python3/.test(name))
      .flatMap((name) => [join(library, name, 'site-packages'), join(library, name, 'dist-packages')])
      // On Windows, the path contains no version folder.
      .concat(join(library, 'site-packages'))
      .filter((folder) => existsSync(folder));
    known.set(library, { changedMs: mtimeMs, folders });
    return folders;
  } catch {
    return [];
  }
}
