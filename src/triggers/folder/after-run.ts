import { dirname, join } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';
import type { FolderTrigger } from '../trigger.ts';
import { firingAt, type HandedFile, type Handover } from '../trigger-store.ts';
import { type FoundFile, isSame, toHanded } from './found-file.ts';
import type { KnownFiles } from './known-files.ts';
import { moveBeside } from './move-file.ts';
import type { InboxParts } from './parts.ts';
import type { FolderPosition } from './position.ts';
import { movedFolders } from './scope.ts';
import { changedByRunNotice, type Stuck } from './words.ts';

/** A file that changes during this many runs in a row is not handed over again. */
const mostChanges = 3;

interface AfterRunOptions extends InboxParts {
  trigger: FolderTrigger;
  known: KnownFiles;
  position: FolderPosition;
}

interface Judged {
  /** Stores what was found out. */
  readonly write: () => void;
  /** The files that must still be moved, as they are now. */
  readonly toMove: readonly HandedFile[];
  /** Whether a file changed during the run. */
  readonly isChanged: boolean;
}

interface Moved {
  /** Stores what was done. */
  readonly write: () => void;
  /** The files that could not be moved. */
  readonly left: readonly HandedFile[];
  /** Why the first of them could not be moved. */
  readonly stuck: Stuck | null;
}

/**
 * Deals with the files of a run that has ended. Each step can be repeated, because the service may be killed before the result is
 * stored.
 */
export class AfterRun {
  readonly #options: AfterRunOptions;

  constructor(options: AfterRunOptions) {
    this.#options = options;
  }

  /** Compares the files with what was handed over. A file that changed is an arrival, unless it changes during each of its runs. */
  async judge({ key, files }: Handover): Promise<Judged> {
    const { looks, position, trigger } = this.#options;
    const writes: (() => void)[] = [];
    const toMove: HandedFile[] = [];
    let isChanged = false;
    for (const file of files) {
      const look = await looks.look(file.path);
      if (look.kind !== 'file') continue;
      const found = look.file;
      const isNew = !isSame(file, found);
      const isStopped = isNew && position.changesOf(file.path) + 1 >= mostChanges;
      isChanged ||= isNew;
      if (!isNew) writes.push(() => position.clearChanges(file.path));
      else if (isStopped) writes.push(() => this.#stop(found, `${key}/changed/${file.path}`));
      else writes.push(() => position.noteChange(file.path));
      if (trigger.after === 'move' && (!isNew || isStopped)) toMove.push(isNew ? toHanded(found) : file);
    }
    return { write: () => perform(writes), toMove, isChanged };
  }

  /** Moves files, except those that have changed: their new content was never handed over. */
  async move(files: readonly HandedFile[], isSuccess: boolean): Promise<Moved> {
    const { looks, known } = this.#options;
    const moved: string[] = [];
    const left: HandedFile[] = [];
    let stuck: Stuck | null = null;
    const folderName = isSuccess ? movedFolders.succeeded : movedFolders.failed;
    for (const file of files) {
      const look = await looks.look(file.path);
      if (look.kind !== 'file' || !isSame(file, look.file)) continue;
      try {
        await moveBeside(file.path, folderName);
        moved.push(file.path);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') continue;
        stuck ??= {
          path: file.path,
          folder: join(dirname(file.path), folderName),
          errno: errnoOf(error) ?? 'unknown',
        };
        left.push(file);
      }
    }
    return { write: () => known.forget(moved), left, stuck };
  }

  #stop(found: FoundFile, key: string): void {
    const { store, known, position, trigger, now, notify } = this.#options;
    known.record([toHanded(found)]);
    position.clearChanges(found.path);
    const isNew = store.record(
      firingAt(now(), {
        triggerId: trigger.id,
        key,
        outcome: 'skipped',
        reason: 'changed-by-run',
        detail: found.path,
      }),
    );
    if (isNew) notify(changedByRunNotice(found.path, mostChanges), trigger);
  }
}

function perform(writes: readonly (() => void)[]): void {
  for (const write of writes) write();
}
