import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { Catalogue } from '../scripts/catalogue.ts';
import { installedFile } from '../scripts/installed-version.ts';
import type { Problem, Script } from '../scripts/script.ts';

export interface KnownScripts {
  readonly scripts: readonly Script[];
  /** Problems of the scripts, errors first. */
  readonly problems: readonly Problem[];
}

/** Reads the scripts of a home like the service: from script folders and the current versions of packages. */
export async function readScripts(home: string, folders: readonly string[]): Promise<KnownScripts> {
  const [own, packages] = [join(home, 'scripts'), join(home, 'packages')];
  // The service creates these folders at its first start.
  const catalogue = new Catalogue([...((await exists(own)) ? [own] : []), ...folders], {
    ...((await exists(packages)) && { packages }),
  });
  await catalogue.load();
  // checkPackages reports damaged records.
  const problems = (await catalogue.problems()).filter(({ file }) => basename(file) !== installedFile);
  return { scripts: catalogue.scripts(), problems };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
