import { dirname } from 'node:path';

import type { HandedFile, TriggerStore } from '../trigger-store.ts';
import { deviceOf, type FileLooks, type FoundFile, isSame, toHanded } from './found-file.ts';
import type { Listing } from './list-files.ts';

type KnownStore = Pick<TriggerStore, 'recordHanded' | 'forgetHanded' | 'handed'>;

/** The files of a trigger that were handed over, or were there before it. */
export class KnownFiles {
  readonly #triggerId: string;
  readonly #store: KnownStore;
  readonly #files: Map<string, HandedFile>;

  constructor(triggerId: string, store: KnownStore) {
    this.#triggerId = triggerId;
    this.#store = store;
    this.#files = new Map(store.handed(triggerId).map((file) => [file.path, file]));
  }

  /** Whether this file was handed over and has not changed since. */
  has(found: FoundFile): boolean {
    const known = this.#files.get(found.path);
    return known !== undefined && isSame(known, found);
  }

  record(files: readonly HandedFile[]): void {
    this.#store.recordHanded(this.#triggerId, files);
    for (const file of files) this.#files.set(file.path, file);
  }

  forget(paths: readonly string[]): void {
    const known = paths.filter((path) => this.#files.has(path));
    if (known.length === 0) return;
    this.#store.forgetHanded(this.#triggerId, known);
    for (const path of known) this.#files.delete(path);
  }

  /** Forgets all files that do not fit. */
  keepOnly(fits: (path: string) => boolean): void {
    this.forget([...this.#files.keys()].filter((path) => !fits(path)));
  }

  /** Notes new device numbers, so that a file which leaves is forgotten again. */
  refresh(files: Iterable<FoundFile>): void {
    const moved = [...files].filter((file) => {
      const known = this.#files.get(file.path);
      return known !== undefined && deviceOf(known) !== file.device && isSame(known, file);
    });
    if (moved.length > 0) this.record(moved.map(toHanded));
  }

  /**
   * Forgets the files that have left, so that a file which comes back counts again. A file on a disk that is not mounted has not
   * left: its folder is missing, or on another device.
   */
  forgetMissing(listing: Listing, isKept: (path: string) => boolean): void {
    const gone = [...this.#files.values()].filter(
      (file) =>
        !listing.files.has(file.path) &&
        !isKept(file.path) &&
        !listing.unreadable.has(file.path) &&
        deviceIn(listing, dirname(file.path)) === deviceOf(file),
    );
    const unnameable = new Set(listing.unnameable.map(({ path }) => path));
    this.forget(gone.map(({ path }) => path).filter((path) => !unnameable.has(path)));
  }

  /** The same for one file. */
  async forgetIfGone(path: string, looks: FileLooks): Promise<void> {
    const known = this.#files.get(path);
    if (known === undefined) return;
    const folder = await looks.look(dirname(path));
    if (folder.kind === 'folder' && folder.device === deviceOf(known)) this.forget([path]);
  }
}

/** The device of a folder, or of the nearest folder above it; undefined if it could not be read, or is not listed. */
function deviceIn({ folders, unreadable }: Listing, folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    if (unreadable.has(path)) return undefined;
    const device = folders.get(path);
    if (device !== undefined || path === dirname(path)) return device;
  }
}
