import { renameSync } from 'node:fs';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import type { EnvironmentKind } from '../contract/values.ts';
import { errnoOf } from '../shared/errors.ts';
import { folderBytes } from '../shared/folder-size.ts';
import { isJsonObject } from '../shared/json.ts';
import { makePrivateFolder, replacePrivateFile } from '../shared/private-files.ts';
import { removeFolder } from '../shared/remove-folder.ts';
import type { Text } from '../shared/text.ts';
import {
  askedPath,
  failurePath,
  isBeingBuilt,
  keyPattern,
  type Marker,
  madeFolderName,
  markerPath,
  modulesIn,
  pythonIn,
  readMarker,
} from './builder/layout.ts';
import type { EnvironmentView } from './environment.ts';
import { Remembered } from './plan.ts';

interface Known {
  readonly isBuilding: boolean;
  readonly scripts: EnvironmentView['scripts'];
}

const removingPrefix = '.removing-';
/** Resolution of the time of last use, so that not every run writes to the disk. */
const touchEveryMs = 60 * 60 * 1000;
const longestAwaitedMs = 24 * 60 * 60 * 1000;

export interface ReadyEnvironment {
  readonly marker: Marker;
  readonly python: string;
  readonly modules: string;
  readonly usedAtMs: number;
}

/** The environments on the disk, each in a folder named after its key. */
export class EnvironmentStore {
  readonly folder: string;
  readonly #platform: NodeJS.Platform;
  readonly #markers = new Remembered<Marker | null>();
  #removals = 0;

  constructor(folder: string, platform: NodeJS.Platform) {
    this.folder = folder;
    this.#platform = platform;
  }

  pathOf(key: string): string {
    return join(this.folder, key);
  }

  async keys(): Promise<string[]> {
    return (await readdir(this.folder).catch(() => [])).filter((name) => keyPattern.test(name));
  }

  /** Returns the environment with this key, if it is complete and its interpreter exists. */
  async find(key: string): Promise<ReadyEnvironment | null> {
    const path = this.pathOf(key);
    const marker = await this.#markers.get(key, async () => ({
      value: await readMarker(path),
      looked: [markerPath(path)],
    }));
    if (marker === null || marker.key !== key) return null;
    const made = join(path, marker.folder);
    const ready = { marker, python: pythonIn(made, this.#platform), modules: modulesIn(made) };
    const [seen, mark] = await Promise.all([
      // Follows the link to the interpreter, which may have been removed.
      stat(marker.kind === 'python' ? ready.python : ready.modules).catch(() => null),
      stat(markerPath(path)).catch(() => null),
    ]);
    // A file time in whole milliseconds may be read slightly smaller.
    return seen === null || mark === null ? null : { ...ready, usedAtMs: Math.round(mark.mtimeMs) };
  }

  async markUsed(key: string, { usedAtMs }: ReadyEnvironment, now: Date): Promise<void> {
    if (Math.abs(now.getTime() - usedAtMs) < touchEveryMs) return;
    // The folder may be gone or the disk full: ignore it.
    await utimes(markerPath(this.pathOf(key)), now, now).catch(() => {});
  }

  isBeingBuilt(key: string): Promise<boolean> {
    return isBeingBuilt(this.pathOf(key));
  }

  /** Writes the file that tells the tool what to install. */
  async writeAsked(key: string, text: string): Promise<string> {
    await makePrivateFolder(this.folder, { existing: true });
    const path = askedPath(this.pathOf(key));
    await replacePrivateFile(path, text);
    return path;
  }

  /** Returns the reason of a failed build once, or null. */
  async takeFailure(key: string): Promise<Text | null> {
    const path = failurePath(this.pathOf(key));
    try {
      const text: unknown = JSON.parse(await readFile(path, 'utf8'));
      if (!isJsonObject(text)) return null;
      return { en: String(text.en), zh: String(text.zh) };
    } catch {
      return null;
    } finally {
      await rm(path, { force: true }).catch(() => {});
    }
  }

  async removeAsked(key: string): Promise<void> {
    await rm(askedPath(this.pathOf(key)), { force: true }).catch(() => {});
  }

  /**
   * Removes an environment. It is first renamed atomically, so that a partly removed folder is never used. The rename happens before
   * any other code of this process runs, so the checks of the caller are still valid.
   */
  remove(key: string): Promise<void> {
    const target = join(this.folder, `${removingPrefix}${process.pid}-${this.#removals++}-${key}`);
    try {
      renameSync(this.pathOf(key), target);
    } catch (error) {
      return errnoOf(error) === 'ENOENT' ? Promise.resolve() : Promise.reject(error);
    }
    return removeFolder(target);
  }

  /** Removes the remains of interrupted builds and removals. */
  async sweep(isKnown: (key: string) => boolean, now: Date): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      if (name.startsWith(removingPrefix)) await removeFolder(join(this.folder, name));
      const [, key = name, beside] = /^([0-9a-f]{32})(\..+)?$/.exec(name) ?? [];
      if (!keyPattern.test(key) || (await this.isBeingBuilt(key))) continue;
      const isMarked = beside === undefined && (await readMarker(this.pathOf(key))) !== null;
      if (isMarked || (await this.#isAwaited(name, now)) || isKnown(key)) continue;
      if (beside === undefined) await this.remove(key);
      else await rm(join(this.folder, name), { force: true });
    }
  }

  /** A build that an earlier service accepted may still be queued and need this file. */
  async #isAwaited(name: string, now: Date): Promise<boolean> {
    if (!name.endsWith(askedPath(''))) return false;
    const found = await stat(join(this.folder, name)).catch(() => null);
    return found !== null && now.getTime() - found.mtimeMs < longestAwaitedMs;
  }
}

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
    folderBytes(path),
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
