import { renameSync } from 'node:fs';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { folderBytes } from '../shared/folder-size.ts';
import { isJsonObject } from '../shared/json.ts';
import { makePrivateFolder, replacePrivateFile } from '../shared/private-files.ts';
import { removeFolder } from '../shared/remove-folder.ts';
import type { Text } from '../shared/text.ts';
import { isBeingBuilt } from './builder/build-claims.ts';
import {
  askedPath,
  failurePath,
  keyPattern,
  type Marker,
  markerPath,
  modulesIn,
  pythonIn,
  readMarker,
} from './builder/layout.ts';
import { Remembered } from './remembered.ts';

const removingPrefix = '.removing-';
/** The last use is kept no more exactly than this, so that not every run writes to the disk. */
const touchEveryMs = 60 * 60 * 1000;

/** An environment that can be used. */
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

  /** The environment of this key, if it was made to its end and its interpreter is still there. */
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
      // Follows the link to the interpreter, which may have been removed since.
      stat(marker.kind === 'python' ? ready.python : ready.modules).catch(() => null),
      stat(markerPath(path)).catch(() => null),
    ]);
    // A time that was set in seconds comes back a little less than it was.
    return seen === null || mark === null ? null : { ...ready, usedAtMs: Math.round(mark.mtimeMs) };
  }

  async markUsed(key: string, { usedAtMs }: ReadyEnvironment, now: Date): Promise<void> {
    if (Math.abs(now.getTime() - usedAtMs) < touchEveryMs) return;
    // It may be gone, or on a disk that is full: nobody needs to know.
    await utimes(markerPath(this.pathOf(key)), now, now).catch(() => {});
  }

  isBeingBuilt(key: string): Promise<boolean> {
    return isBeingBuilt(this.pathOf(key));
  }

  bytesOf(key: string): Promise<number> {
    return folderBytes(this.pathOf(key));
  }

  /** Writes down what the tool is to install. */
  async writeAsked(key: string, text: string): Promise<string> {
    await makePrivateFolder(this.folder, { existing: true });
    const path = askedPath(this.pathOf(key));
    await replacePrivateFile(path, text);
    return path;
  }

  /** What a build that failed said about it, or null; it is not said twice. */
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
   * Removes an environment. It gets another name first, in one step: what is half removed is never taken for one. The name is changed
   * before anything else can happen in this process, so that what the caller has just made sure of still holds.
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

  /** Removes what is left of builds and removals that were cut off, and calls nobody's. */
  async sweep(isKnown: (key: string) => boolean): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      if (name.startsWith(removingPrefix)) await removeFolder(join(this.folder, name));
      const [, key = name, beside] = /^([0-9a-f]{32})(\..+)?$/.exec(name) ?? [];
      if (!keyPattern.test(key) || (await this.isBeingBuilt(key))) continue;
      const isMarked = beside === undefined && (await readMarker(this.pathOf(key))) !== null;
      if (isMarked || isKnown(key)) continue;
      if (beside === undefined) await this.remove(key);
      else await rm(join(this.folder, name), { force: true });
    }
  }
}
