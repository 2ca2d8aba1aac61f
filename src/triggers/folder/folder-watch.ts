import type { FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';

interface WatchOptions {
  watch: typeof watch;
  /** A file or folder may have changed. */
  onChange: (path: string) => void;
  /** The content of a watched folder may have changed in any way. */
  onFolder: (folder: string) => void;
}

interface Watched {
  readonly identity: string;
  readonly watcher: FSWatcher | null;
}

/**
 * Reports changes in folders soon after they happen. The system may lose reports, so these are hints alone: the files are listed
 * from time to time as well.
 */
export class FolderWatch {
  readonly #options: WatchOptions;
  readonly #folders = new Map<string, Watched>();
  #error: string | null = null;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** The error because of which a folder is not watched, such as the system's limit; null if there is none. */
  get error(): string | null {
    return this.#error;
  }

  has(folder: string): boolean {
    return this.#folders.has(folder);
  }

  /** Watches a folder. `identity` differs if another folder has taken its place. */
  add(folder: string, identity: string): void {
    const known = this.#folders.get(folder);
    if (known?.watcher != null && known.identity === identity) return;
    known?.watcher?.close();
    this.#folders.set(folder, { identity, watcher: this.#watch(folder) });
  }

  /** Ends the watches of the folders that are not in this list, and tries those that failed again. */
  keepOnly(folders: { has(folder: string): boolean }): void {
    for (const [folder, { watcher }] of this.#folders) {
      if (folders.has(folder)) continue;
      watcher?.close();
      this.#folders.delete(folder);
    }
    if ([...this.#folders.values()].every(({ watcher }) => watcher !== null)) this.#error = null;
  }

  close(): void {
    this.keepOnly(new Set());
  }

  #watch(folder: string): FSWatcher | null {
    try {
      const watcher = this.#options.watch(folder, { persistent: false }, (_event, name) => {
        if (name === null) this.#options.onFolder(folder);
        else this.#options.onChange(join(folder, name));
      });
      watcher.on('error', (error) => {
        watcher.close();
        const known = this.#folders.get(folder);
        if (known?.watcher === watcher) this.#folders.set(folder, { ...known, watcher: null });
        this.#error = errnoOf(error) ?? 'unknown';
        this.#options.onFolder(folder);
      });
      return watcher;
    } catch (error) {
      const errno = errnoOf(error) ?? 'unknown';
      // A folder that has vanished needs no watch.
      if (errno !== 'ENOENT' && errno !== 'ENOTDIR') this.#error = errno;
      return null;
    }
  }
}
