import { join } from 'node:path';

import { removeParameterFile } from '../execution/remove-parameter-file.ts';
import type { Logger } from '../shared/log.ts';
import { removeFolder } from '../shared/remove-folder.ts';

const retryMs = 60_000;
const runFolderName = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Removes the parameter files of runs that have ended. If a file cannot be removed, for example because the disk is
 * read-only, the failure is logged once and the removal is retried until it succeeds.
 */
export class ParameterFiles {
  readonly #runsFolder: string;
  readonly #log: Logger;
  readonly #pending = new Set<string>();
  #retry: NodeJS.Timeout | undefined;

  constructor({ runsFolder, log }: { runsFolder: string; log: Logger }) {
    this.#runsFolder = runsFolder;
    this.#log = log;
  }

  async remove(runId: string): Promise<void> {
    try {
      await removeParameterFile(join(this.#runsFolder, runId));
      this.#pending.delete(runId);
    } catch (error) {
      if (!this.#pending.has(runId))
        this.#log.error({ err: error, run: runId }, 'cannot remove a parameter file yet');
      this.#pending.add(runId);
      this.#retry ??= setTimeout(() => void this.#removeLeft(), retryMs).unref();
    }
  }

  /**
   * Removes all files that were prepared for a refused run. A folder that cannot be removed is removed at the next
   * start.
   */
  async discard(runId: string): Promise<void> {
    await this.remove(runId);
    await removeFolder(join(this.#runsFolder, runId)).catch((error: unknown) => {
      this.#log.warn({ err: error, run: runId }, 'cannot remove the folder of a refused run yet');
    });
  }

  /**
   * Removes files that earlier services and executors left behind. `folders` lists the folders from before new runs
   * were accepted.
   */
  async sweep(folders: readonly string[], isLive: (runId: string) => boolean): Promise<void> {
    for (const runId of folders) if (runFolderName.test(runId) && !isLive(runId)) await this.remove(runId);
  }

  async #removeLeft(): Promise<void> {
    this.#retry = undefined;
    for (const runId of [...this.#pending]) await this.remove(runId);
  }
}
