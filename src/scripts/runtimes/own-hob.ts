import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where an interpreter keeps what is installed for it, and for which state of the folder that is so. */
const known = new Map<string, { changedMs: number; folders: readonly string[] }>();

/**
 * Whether a module called `hob` is installed for a Python: in its environment or its own folders, or by its user for all of them.
 * Asked before every run, so what seldom changes is looked up once.
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
    // Most of these places are not there, and it takes longer to throw than to look.
    const mtimeMs = statSync(library, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined) return [];
    const before = known.get(library);
    if (before?.changedMs === mtimeMs) return before.folders;
    const folders = readdirSync(library)
      .filter((name) => /^python3/.test(name))
      .flatMap((name) => [join(library, name, 'site-packages'), join(library, name, 'dist-packages')])
      // On Windows they are not below a version.
      .concat(join(library, 'site-packages'))
      .filter((folder) => existsSync(folder));
    known.set(library, { changedMs: mtimeMs, folders });
    return folders;
  } catch {
    return [];
  }
}
