import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { EnvironmentKind } from '../contract/values.ts';
import { madeFolderName, readMarker } from './builder/layout.ts';
import type { EnvironmentView } from './environment.ts';
import type { EnvironmentStore } from './environment-store.ts';

interface Known {
  readonly isBuilding: boolean;
  readonly scripts: EnvironmentView['scripts'];
}

/** Returns the public view of an environment, or null. */
export async function viewEnvironment(
  store: EnvironmentStore,
  key: string,
  { isBuilding, scripts }: Known,
): Promise<EnvironmentView | null> {
  const path = store.pathOf(key);
  const names = await readdir(path).catch(() => null);
  if (names === null) return null;
  const [marker, ready, bytes, isClaimed] = await Promise.all([
    readMarker(path),
    store.find(key),
    store.bytesOf(key),
    store.isBeingBuilt(key),
  ]);
  return {
    key,
    kind: marker?.kind ?? (await guessKind(path, names)),
    state: isBuilding || isClaimed ? 'building' : ready === null ? 'damaged' : 'ready',
    bytes,
    madeAt: marker?.madeAt ?? null,
    usedAt: ready === null ? null : new Date(ready.usedAtMs).toISOString(),
    madeWith: marker?.madeWith ?? null,
    requirements: marker?.requirements ?? [],
    scripts,
  };
}

/** Without a marker, the files determine the kind. */
async function guessKind(path: string, names: readonly string[]): Promise<EnvironmentKind> {
  for (const name of names.filter((each) => madeFolderName.test(each))) {
    const inside: string[] = await readdir(join(path, name)).catch(() => []);
    if (inside.includes('package.json')) return 'node';
  }
  return 'python';
}
