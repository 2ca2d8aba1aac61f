import { errnoOf } from '../../shared/errors.ts';
import type { FolderTrigger } from '../trigger.ts';
import { firingAt, type HandedFile, type Handover } from '../trigger-store.ts';
import { type FoundFile, hasInodeOf, isSame, toHanded } from './found-file.ts';
import type { KnownFiles } from './known-files.ts';
import { moveBeside } from './move-file.ts';
import type { InboxParts } from './parts.ts';
import type { FolderPosition } from './position.ts';
import { movedFolders } from './scope.ts';
import { changedByRunNotice } from './words.ts';

/** A file that changes during this many runs in a row is not handed over again. */
const mostChanges = 3;

interface AfterRunOptions extends InboxParts {
  trigger: FolderTrigger;
  known: KnownFiles;
  position: FolderPosition;
}

interface Dealt {
  /** Stores what was done. */
  readonly write: () => void;
  /** A file that could not be moved; null if there is none. */
  readonly stuck: { readonly path: string; readonly errno: string } | null;
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

  async deal({ key, files }: Handover, isSuccess: boolean): Promise<Dealt> {
    const { looks, known, position, trigger } = this.#options;
    const writes: (() => void)[] = [];
    let stuck: Dealt['stuck'] = null;
    const moved: string[] = [];
    for (const [index, file] of files.entries()) {
      const look = await looks.look(file.path);
      if (look.kind !== 'file') continue;
      const found = look.file;
      const isNew = !isSame(file, found) && !(trigger.after === 'move' && (await this.#isOwn(file, found)));
      const isStopped = isNew && position.changesOf(file.path) + 1 >= mostChanges;
      if (!isNew) writes.push(() => position.clearChanges(file.path));
      else if (isStopped) writes.push(() => this.#stop(found, `${key}/${index}/changed`));
      else writes.push(() => position.noteChange(file.path));
      if (trigger.after !== 'move' || (isNew && !isStopped)) continue;
      try {
        await moveBeside(file.path, isSuccess ? movedFolders.succeeded : movedFolders.failed);
        moved.push(file.path);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') stuck ??= { path: file.path, errno: errnoOf(error) ?? 'unknown' };
      }
    }
    writes.push(() => known.forget(moved));
    return {
      write: () => {
        for (const write of writes) write();
      },
      stuck,
    };
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

  /**
   * Whether the run itself seems to have changed the file: the file is the same one, and no process is writing to it. Otherwise
   * another program has put a new file in its place, which is an arrival.
   */
  async #isOwn(file: HandedFile, found: FoundFile): Promise<boolean> {
    const { probe } = this.#options;
    return hasInodeOf(file, found) && !(await probe.find([found])).has(found.path);
  }
}
