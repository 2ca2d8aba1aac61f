import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { FiringReason } from '../../contract/firings.ts';
import { inParallel } from '../../scripts/script-folders.ts';
import type { FolderTrigger, TriggerProblem } from '../trigger.ts';
import { firingAt } from '../trigger-store.ts';
import { type FoundFile, toHanded } from './found-file.ts';
import { formGroups } from './groups.ts';
import type { Handovers } from './handovers.ts';
import type { KnownFiles } from './known-files.ts';
import type { OpenWriter } from './open-writers.ts';
import type { InboxParts } from './parts.ts';
import type { Refusals } from './refusals.ts';
import { isPartialName } from './scope.ts';
import { type WaitingFile, WaitingFiles } from './waiting-files.ts';
import { heldProblem, notUtf8Notice } from './words.ts';

/** Runs of one trigger that have not ended. The other files wait in the folder, and leave the queue of Hob to others. */
const mostLive = 50;
const looksAtOnce = 8;
/** Reading the open files of all processes takes at most this part of the time: there may be many. */
const searchShare = 5;
/** After this time, the status names a file that is still open. */
const longHeldMs = 60_000;

interface ArrivalsOptions extends InboxParts {
  trigger: FolderTrigger;
  known: KnownFiles;
  handovers: Handovers;
  refusals: Refusals;
}

/** Files on their way from their arrival to their run. */
export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #waiting: WaitingFiles;
  /** No file is checked before. */
  #checkDueMs = 0;
  /** When the next group is due. */
  #groupDueMs = Number.POSITIVE_INFINITY;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
    this.#waiting = new WaitingFiles(options.trigger.settleMs);
  }

  /** When there is something to do, on the steady clock. */
  get nextDueMs(): number {
    return Math.max(Math.min(this.#waiting.nextDueMs, this.#groupDueMs), this.#checkDueMs);
  }

  /** A file that seems to wait for ever. */
  get problem(): TriggerProblem | null {
    const held = this.#waiting.heldSince(this.#options.steadyMs() - longHeldMs);
    return held?.writer == null ? null : heldProblem(held.file.path, held.writer.pid);
  }

  observe(file: FoundFile): void {
    const { known, handovers, steadyMs, now } = this.#options;
    if (handovers.claims(file.path)) return;
    if (known.has(file)) this.#waiting.remove(file.path);
    else this.#waiting.observe(file, { nowMs: steadyMs(), now: now() });
  }

  /** Forgets the waiting files that are not in this list. */
  keepOnly(files: { has(path: string): boolean }): void {
    for (const path of this.#waiting.paths()) if (!files.has(path)) this.#drop(path);
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** A file has vanished. */
  async remove(path: string): Promise<void> {
    const { known, handovers, looks } = this.#options;
    this.#drop(path);
    if (!handovers.claims(path)) await known.forgetIfGone(path, looks);
  }

  /** A file whose name cannot be passed to a script. */
  refuse(file: FoundFile): void {
    const { known, notify, trigger } = this.#options;
    if (known.has(file)) return;
    known.record([toHanded(file)]);
    this.#skip(file.path, 'not-utf8', this.#options.now());
    notify(notUtf8Notice(file.path), trigger);
  }

  /** Finds the files that are complete, and hands over as many as runs may start. */
  async handOver(isClosed: () => boolean): Promise<void> {
    const { steadyMs } = this.#options;
    const begunMs = steadyMs();
    this.#groupDueMs = this.#waiting.size === 0 ? Number.POSITIVE_INFINITY : 0;
    if (begunMs < this.#checkDueMs || this.#waiting.size === 0) return;
    await this.#handOver(begunMs, isClosed);
  }

  async #handOver(begunMs: number, isClosed: () => boolean): Promise<void> {
    const { steadyMs, handovers, refusals, trigger } = this.#options;
    await this.#complete(this.#waiting.due(begunMs));
    this.#groupDueMs = Number.POSITIVE_INFINITY;
    const waitMs = refusals.untilMs - steadyMs();
    const most = mostLive - handovers.count;
    const ready = this.#waiting.ready();
    if (ready.length === 0 || most <= 0) return;
    if (waitMs > 0) {
      this.#groupDueMs = refusals.untilMs;
      return;
    }
    const { due, nextDueMs } = formGroups(ready, { batchMs: trigger.batchMs, nowMs: steadyMs(), most });
    this.#groupDueMs = nextDueMs;
    // A file may have changed while it waited for the others of its group, or for a run to end.
    await this.#check(due.flat().filter(({ completeMs }) => completeMs < begunMs));
    const groups = due
      .map((group) => group.filter(({ file }) => this.#waiting.get(file.path)?.completeMs != null))
      .filter((group) => group.length > 0);
    if (groups.length === 0 || isClosed()) return;
    const refusal = await handovers.start(groups);
    for (const { file } of groups.flat()) if (handovers.claims(file.path)) this.#waiting.remove(file.path);
    refusals.note(refusal);
    if (refusal !== null) this.#groupDueMs = refusals.untilMs;
  }

  async #complete(files: readonly WaitingFile[]): Promise<void> {
    const { steadyMs } = this.#options;
    for (const { file } of await this.#check(files)) this.#waiting.complete(file.path, steadyMs());
  }

  /** Returns the files that have not changed and that no process is writing to. The others wait again. */
  async #check(files: readonly WaitingFile[]): Promise<WaitingFile[]> {
    const unchanged = await this.#unchanged(files);
    const writers = await this.#writersOf(unchanged);
    const nowMs = this.#options.steadyMs();
    for (const [path, writer] of writers) this.#waiting.hold(path, nowMs, writer);
    // A process may have written until it closed the file.
    const free = await this.#unchanged(unchanged.filter(({ file }) => !writers.has(file.path)));
    const placeholders = await placeholdersAmong(free.map(({ file }) => file));
    for (const path of placeholders) this.#waiting.hold(path, nowMs, null);
    return free.filter(({ file }) => !placeholders.has(file.path));
  }

  async #unchanged(files: readonly WaitingFile[]): Promise<WaitingFile[]> {
    const { looks, steadyMs } = this.#options;
    const unchanged: WaitingFile[] = [];
    await inParallel(
      files,
      async (one) => {
        const look = await looks.look(one.file.path);
        if (look.kind === 'failed') this.#waiting.hold(one.file.path, steadyMs(), null);
        else if (look.kind !== 'file') this.#drop(one.file.path);
        else if (look.file.version === one.file.version) unchanged.push(one);
        else this.observe(look.file);
      },
      looksAtOnce,
    );
    return unchanged;
  }

  /** Asks the known writers first: that takes much less time than a search. */
  async #writersOf(files: readonly WaitingFile[]): Promise<ReadonlyMap<string, OpenWriter>> {
    const { probe, steadyMs } = this.#options;
    const writers = new Map<string, OpenWriter>();
    for (const { file, writer } of files)
      if (writer !== null && (await probe.isOpen(file, writer))) writers.set(file.path, writer);
    const others = files.filter(({ file }) => !writers.has(file.path)).map(({ file }) => file);
    const beginMs = steadyMs();
    const found = await probe.find(others);
    const endMs = steadyMs();
    this.#checkDueMs = Math.max(this.#checkDueMs, endMs + (searchShare - 1) * (endMs - beginMs));
    return new Map([...writers, ...found]);
  }

  /** A complete file that vanishes was an arrival; an incomplete one was a file that its writer removed or renamed. */
  #drop(path: string): void {
    const known = this.#waiting.get(path);
    this.#waiting.remove(path);
    if (known != null && known.completeMs !== null) this.#skip(path, 'gone', known.arrivedAt);
  }

  #skip(path: string, reason: FiringReason, arrivedAt: Date): void {
    const { store, trigger, now } = this.#options;
    const dueAt = arrivedAt.toISOString();
    store.record(firingAt(now(), { triggerId: trigger.id, dueAt, outcome: 'skipped', reason, detail: path }));
  }
}

/** Browsers create an empty file with the final name beside the one that they are still writing. */
async function placeholdersAmong(files: readonly FoundFile[]): Promise<Set<string>> {
  const empty = files.filter(({ bytes }) => bytes === 0);
  const busy = new Map<string, boolean>();
  for (const folder of new Set(empty.map(({ path }) => dirname(path)))) {
    const names = await readdir(folder).catch(() => []);
    busy.set(folder, names.some(isPartialName));
  }
  return new Set(empty.map(({ path }) => path).filter((path) => busy.get(dirname(path)) === true));
}
