import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { Catalogue } from '../scripts/catalogue.ts';
import { installedFile } from '../scripts/installed-version.ts';
import type { Problem, Script } from '../scripts/script.ts';

export interface KnownScripts {
  readonly scripts: readonly Script[];
  /** Everything wrong with them, errors first. */
  readonly problems: readonly Problem[];
}

/** All scripts of a home, as the service would find them: those in folders of scripts, and the current versions of packages. */
export async function readScripts(home: string, folders: readonly string[]): Promise<KnownScripts> {
  const [own, packages] = [join(home, 'scripts'), join(home, 'packages')];
  // The service makes its own at its first start.
  const catalogue = new Catalogue([...((await exists(own)) ? [own] : []), ...folders], {
    ...((await exists(packages)) && { packages }),
  });
  await catalogue.load();
  // A record that is damaged is said of the packages.
  const problems = (await catalogue.problems()).filter(({ file }) => basename(file) !== installedFile);
  return { scripts: catalogue.scripts(), problems };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
