import { basename } from 'node:path';

import { inParallel } from '../../scripts/script-folders.ts';
import type { FolderTrigger, TriggerProblem } from '../trigger.ts';
import { Arrivals } from './arrivals.ts';
import { FolderWatch } from './folder-watch.ts';
import { type FoundFile, toHanded } from './found-file.ts';
import { Handovers } from './handovers.ts';
import { KnownFiles } from './known-files.ts';
import { isReplaced, type Listing, listFiles } from './list-files.ts';
import { Notices } from './notices.ts';
import type { InboxParts } from './parts.ts';
import { FolderPosition } from './position.ts';
import { Refusals } from './refusals.ts';
import { isEntered, isFolderInScope, isInScope, type Scope, scopeOf } from './scope.ts';
import { waitAtMost } from './wait-at-most.ts';
import { folderProblem, subfolderProblem, watchProblem } from './words.ts';

const looksAtOnce = 8;
/** Interval of the checks of the folder itself: it may appear, vanish, or be replaced. */
const folderLookMs = 3000;
/** Reports of changes come in bursts. */
const burstMs = 50;
/** The system reports changes, but may lose a report. */
const watchedListMs = 60_000;
/** On a network, the changes of other machines are not reported. */
const unwatchedListMs = 5000;
/** Listing a large folder takes at most this part of the time. */
const listShare = 20;
/** The same for a folder that changes all the time. */
const busyListShare = 2;
/** A disk or network that does not respond must not keep the next inbox from opening. */
const closeWaitMs = 5000;
/** After an error of Hob's own, such as a full disk under the database. */
const errorPauseMs = 5000;

/** The folder of one trigger: finds its arrivals and hands them over. Its work is done in passes, one after the other. */
export class Inbox {
  readonly trigger: FolderTrigger;
  readonly #parts: InboxParts;
  readonly #scope: Scope;
  readonly #known: KnownFiles;
  readonly #position: FolderPosition;
  readonly #handovers: Handovers;
  readonly #arrivals: Arrivals;
  readonly #notices: Notices;
  readonly #refusals: Refusals;
  readonly #watch: FolderWatch;
  readonly #openedMs: number;
  /** Paths that may have changed since the last pass. */
  readonly #touched = new Set<string>();
  #listDueMs = 0;
  #listNotBeforeMs = 0;
  /** The identity of the folder at the last listing; null if it was absent. */
  #identity: string | null = null;
  #problem: TriggerProblem | null = null;
  /** A part of the folder that cannot be read. */
  #unreadable: TriggerProblem | null = null;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #pass: Promise<void> | null = null;
  /** Whether the handovers of an earlier service are known. */
  #isRestored = false;
  #isClosed = false;

  constructor(trigger: FolderTrigger, parts: InboxParts) {
    this.trigger = trigger;
    this.#parts = parts;
    this.#scope = scopeOf(trigger);
    this.#openedMs = parts.now().getTime();
    this.#position = new FolderPosition(trigger.id, parts.store);
    this.#known = new KnownFiles(trigger.id, parts.store);
    this.#notices = new Notices(trigger, parts);
    const common = {
      ...parts,
      trigger,
      known: this.#known,
      position: this.#position,
      notices: this.#notices,
      // An open inbox belongs to a trigger that exists.
      isRemoved: () => this.#isClosed && this.#position.isForgotten,
    };
    this.#handovers = new Handovers(common);
    this.#refusals = new Refusals(common);
    this.#arrivals = new Arrivals({ ...common, handovers: this.#handovers, refusals: this.#refusals });
    this.#watch = new FolderWatch({
      watch: parts.watch,
      onChange: (path) => this.#touch(path),
      onFolder: () => {
        this.#listDueMs = 0;
        this.#wakeIn(burstMs);
      },
    });
  }

  /** Why it cannot work now, or not as it should. */
  get problem(): TriggerProblem | null {
    const { error } = this.#watch;
    return (
      this.#problem ??
      this.#refusals.problem ??
      this.#handovers.problem ??
      this.#unreadable ??
      this.#arrivals.problem ??
      (error === null ? null : watchProblem(error))
    );
  }

  open(): void {
    this.#wakeIn(0);
  }

  /** A run of this trigger has ended. */
  noteEnd(runId: string, isSuccess: boolean): void {
    if (!this.#handovers.noteEnd(runId, isSuccess)) return;
    this.#wakeIn(0);
  }

  /** Waits for the runs that are being started, so that the next inbox finds them on record. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watch.close();
    await waitAtMost(closeWaitMs, Promise.resolve(this.#pass));
    await this.#handovers.started;
    this.#watch.close();
  }

  #touch(path: string): void {
    this.#touched.add(path);
    this.#wakeIn(burstMs);
  }

  /** Starts a pass after this time, unless one starts earlier. */
  #wakeIn(ms: number): void {
    const atMs = this.#parts.steadyMs() + Math.max(ms, 0);
    if (this.#isClosed || atMs >= this.#timerMs) return;
    this.#timerMs = atMs;
    // The pass that is under way sets the timer at its end.
    if (this.#pass !== null) return;
    this.#setTimer();
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const delayMs = Math.max(this.#timerMs - this.#parts.steadyMs(), 0);
    this.#timer = setTimeout(() => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.#pass = this.#work().finally(() => {
        this.#pass = null;
        if (!this.#isClosed) this.#setTimer();
      });
    }, delayMs).unref();
  }

  async #work(): Promise<void> {
    const { steadyMs, log } = this.#parts;
    try {
      if (!this.#isRestored) this.#handovers.restore();
      this.#isRestored = true;
      for (const path of await this.#handovers.finishEnded()) this.#touched.add(path);
      if (await this.#isThere()) await this.#lookAround();
      const { nextDueMs } = this.#handovers;
      const isBusy = this.#touched.size > 0;
      const dueMs = Math.min(
        nextDueMs,
        this.#arrivals.nextDueMs,
        this.#identity === null ? nextDueMs : Math.max(this.#listDueMs, this.#listNotBeforeMs),
      );
      this.#wakeIn(isBusy ? burstMs : Math.min(folderLookMs, dueMs - steadyMs()));
    } catch (error) {
      if (this.#isClosed) return;
      log.error({ err: error, trigger: this.trigger.id }, 'cannot look at a folder yet');
      this.#wakeIn(errorPauseMs);
    }
  }

  /** Whether the folder can be read. */
  async #isThere(): Promise<boolean> {
    const { looks } = this.#parts;
    const { path } = this.trigger;
    const look = await looks.look(path);
    if (look.kind === 'folder') {
      const identity = `${look.device}:${look.inode}`;
      // Another folder is at this path: a disk was mounted, or the folder was made again.
      if (identity !== this.#identity) this.#listDueMs = 0;
      this.#identity = identity;
      return true;
    }
    const errno = look.kind === 'failed' ? look.errno : look.kind === 'absent' ? 'ENOENT' : 'ENOTDIR';
    this.#leave(errno);
    // From now on, files in it are arrivals. An unreadable folder may hold files that were there before.
    if (look.kind !== 'failed' && this.#position.scope === null) this.#position.setScope(this.#scope);
    return false;
  }

  #leave(errno: string): void {
    this.#identity = null;
    this.#arrivals.clear();
    this.#touched.clear();
    this.#watch.close();
    this.#setProblem(folderProblem(this.trigger.path, errno));
  }

  #setProblem(problem: TriggerProblem | null): void {
    this.#problem = problem;
    this.#notices.noteProblem(problem);
  }

  async #lookAround(): Promise<void> {
    if (this.#parts.steadyMs() >= Math.max(this.#listDueMs, this.#listNotBeforeMs)) await this.#list();
    else await this.#lookAtTouched();
    if (this.#identity === null || this.#isClosed) return;
    await this.#arrivals.handOver(() => this.#isClosed);
  }

  /** Lists the whole folder: this finds all arrivals, also those that no watch reported. */
  async #list(): Promise<void> {
    const { steadyMs, looks } = this.#parts;
    const { path } = this.trigger;
    const startMs = steadyMs();
    this.#touched.clear();
    this.#listDueMs = Number.POSITIVE_INFINITY;
    const listing = await this.#read(path);
    const endMs = steadyMs();
    this.#listNotBeforeMs = endMs + busyListShare * (endMs - startMs);
    const errno = listing.unreadable.get(path) ?? (listing.folders.has(path) ? null : 'ENOENT');
    if (errno !== null) {
      this.#leave(errno);
      return;
    }
    this.#setProblem(null);
    const [unreadable] = listing.unreadable;
    this.#unreadable = unreadable === undefined ? null : subfolderProblem(...unreadable);
    this.#watch.keepOnly(listing.folders);
    if (!(await this.#begin(listing))) return;
    this.#known.refresh(listing.files.values());
    this.#known.forgetMissing(listing, (one) => this.#handovers.claims(one));
    for (const file of listing.files.values()) this.#arrivals.observe(file);
    for (const file of listing.unnameable) this.#arrivals.refuse(file);
    this.#arrivals.keepOnly(listing.files);
    const [device = ''] = (this.#identity ?? '').split(':');
    const isReported = this.#watch.error === null && (await looks.reportsChanges(path, device));
    const nextMs = isReported ? watchedListMs : unwatchedListMs;
    // A folder that changed during the listing is listed again soon.
    this.#listDueMs = Math.min(this.#listDueMs, endMs + Math.max(nextMs, listShare * (endMs - startMs)));
  }

  #read(folder: string): Promise<Listing> {
    return listFiles(folder, {
      scope: this.#scope,
      looks: this.#parts.looks,
      onFolder: (path, identity) => {
        if (!this.#isClosed) this.#watch.add(path, identity);
      },
    });
  }

  /**
   * Records the files that were there before the trigger, or before it was about them. Files that arrive while it is off, or while
   * Hob does not run, are arrivals: an inbox is a queue. Returns false if the trigger is closed.
   */
  async #begin(listing: Listing): Promise<boolean> {
    const before = this.#position.scope;
    if (this.#isClosed) return false;
    if (before !== null && JSON.stringify(before) === JSON.stringify(this.#scope)) return true;
    const isOld = (file: FoundFile) =>
      (before === null || !isInScope(file.path, before)) && !this.#isLater(file);
    const old = [...listing.files.values(), ...listing.unnameable].filter(isOld);
    this.#parts.store.atomically(
      () => {
        this.#known.keepOnly((path) => isInScope(path, this.#scope));
        this.#known.record(old.map(toHanded));
        this.#position.setScope(this.#scope);
      },
      { durable: true },
    );
    return true;
  }

  /** Whether a file arrived between the creation of the trigger and the first listing. Servers on a network have other clocks. */
  #isLater({ changedMs, hasLastingInode }: FoundFile): boolean {
    return hasLastingInode && changedMs >= this.#openedMs && changedMs <= this.#parts.now().getTime();
  }

  async #lookAtTouched(): Promise<void> {
    const paths = [...this.#touched].filter((path) => isFolderInScope(path, this.#scope));
    this.#touched.clear();
    await inParallel(paths, (path) => this.#lookAt(path), looksAtOnce);
  }

  async #lookAt(path: string): Promise<void> {
    const look = await this.#parts.looks.look(path);
    if (look.kind === 'file') {
      if (isInScope(path, this.#scope)) this.#arrivals.observe(look.file);
    } else if (look.kind === 'folder' || this.#watch.has(path)) {
      // A subfolder has appeared or vanished.
      if (isEntered(basename(path), this.#scope)) this.#listDueMs = 0;
    } else if (look.kind === 'absent') {
      // Also a file whose name is not valid UTF-8.
      if (isReplaced(path)) this.#listDueMs = 0;
      await this.#arrivals.remove(path);
    }
  }
}
