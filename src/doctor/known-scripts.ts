import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { Catalogue } from '../scripts/catalogue.ts';
import { loadFolder } from '../scripts/load-folder.ts';
import type { Problem, Script } from '../scripts/script.ts';
import { readRecords } from './package-records.ts';

export interface KnownScripts {
  readonly scripts: readonly Script[];
  /** Everything wrong with them, errors first. */
  readonly problems: readonly Problem[];
}

/** All scripts of a home, as the service would find them: those in folders of scripts, and the current versions of packages. */
export async function readScripts(home: string, folders: readonly string[]): Promise<KnownScripts> {
  const own = join(home, 'scripts');
  // The service makes its own at its first start.
  const catalogue = new Catalogue([...((await exists(own)) ? [own] : []), ...folders]);
  await catalogue.load();
  const scripts = catalogue.scripts();
  const problems = await catalogue.problems();
  for (const record of await readRecords(home)) {
    if (record.kind !== 'readable') continue;
    const loaded = await loadFolder(record.folder);
    if (loaded?.kind === 'script') scripts.push(loaded.script);
    problems.push(...(loaded?.kind === 'script' ? loaded.notes : (loaded?.problems ?? [])));
  }
  return { scripts, problems: problems.sort((a, b) => a.severity.localeCompare(b.severity)) };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
