import { randomUUID } from 'node:crypto';

import type { FiringResult } from '../firing-runs.ts';
import type { FolderTrigger, TriggerProblem } from '../trigger.ts';
import { firingAt, type HandedFile, type Handover } from '../trigger-store.ts';
import { AfterRun } from './after-run.ts';
import { toHanded } from './found-file.ts';
import type { KnownFiles } from './known-files.ts';
import type { Notices } from './notices.ts';
import type { InboxParts } from './parts.ts';
import type { FolderPosition } from './position.ts';
import type { WaitingFile } from './waiting-files.ts';
import { moveProblem, type Stuck } from './words.ts';

/** A file that could not be moved is tried again after this time. */
const moveAgainMs = 60_000;

interface HandoversOptions extends InboxParts {
  trigger: FolderTrigger;
  known: KnownFiles;
  position: FolderPosition;
  notices: Notices;
  /** Whether the trigger was removed, so that nothing about it is stored any more. */
  isRemoved: () => boolean;
}

interface Live {
  readonly handover: Handover;
  /** The end of its run; null while it has not ended. */
  readonly end: { readonly isSuccess: boolean } | null;
  /** When to finish it, on the steady clock. */
  readonly dueMs: number;
}

/** A handover of which it is not known whether its run started, or that could not be stored. */
interface Unclear {
  readonly handover: Handover;
  /** The times at which its files arrived; empty if they are not known. */
  readonly arrivals: readonly string[];
}

interface Attempt extends Unclear {
  /** Null if the start failed in an unknown way. */
  readonly result: FiringResult | null;
}

type Refusal = Extract<FiringResult, { kind: 'refused' }>;

/**
 * The files that were chosen for runs which have not ended. A handover is stored before its run starts, and removed when nothing
 * remains to be done with its files. The key of the run tells a service that was killed in between whether the run started.
 */
export class Handovers {
  readonly #options: HandoversOptions;
  readonly #afterRun: AfterRun;
  /** By key. */
  readonly #live = new Map<string, Live>();
  readonly #claimed = new Set<string>();
  /** By key. */
  readonly #unclear = new Map<string, Unclear>();
  /** By key: why files could not be moved. */
  readonly #stuck = new Map<string, TriggerProblem>();
  /** The errors that were logged since a file could not be moved. */
  readonly #logged = new Set<string>();
  #starts: Promise<unknown> = Promise.resolve();

  constructor(options: HandoversOptions) {
    this.#options = options;
    this.#afterRun = new AfterRun(options);
  }

  /** The runs that have not ended, as far as is known. */
  get count(): number {
    let ended = 0;
    for (const { end } of this.#live.values()) if (end !== null) ended++;
    return this.#live.size - ended + this.#unclear.size;
  }

  /** Why a file could not be moved. */
  get problem(): TriggerProblem | null {
    const [first] = this.#stuck.values();
    return first ?? null;
  }

  /** Resolves when the runs that are being started have started or were refused, and this is stored. Never rejects. */
  get started(): Promise<unknown> {
    return this.#starts;
  }

  /** When the next handover can be finished. */
  get nextDueMs(): number {
    let next = this.#unclear.size > 0 ? this.#options.steadyMs() + 1000 : Number.POSITIVE_INFINITY;
    for (const { end, dueMs } of this.#live.values()) if (end !== null) next = Math.min(next, dueMs);
    return next;
  }

  /** Whether a file belongs to a run that has not ended. */
  claims(path: string): boolean {
    return this.#claimed.has(path);
  }

  /** Continues the handovers of an earlier service. */
  restore(): void {
    const { store, trigger } = this.#options;
    for (const handover of store.handovers(trigger.id)) {
      this.#claim(handover.files);
      if (handover.runId === null) this.#unclear.set(handover.key, { handover, arrivals: [] });
      else this.#follow(handover, handover.runId);
    }
    this.#resolveAll();
  }

  /** Starts a run for each group of files. Returns the refusal, if a run was refused. Its files stay as they are. */
  async start(groups: readonly (readonly WaitingFile[])[]): Promise<Refusal | null> {
    const { trigger, store, now } = this.#options;
    const chosenAt = now().toISOString();
    const begun = groups.map((files) => ({
      handover: {
        triggerId: trigger.id,
        key: `folder:${randomUUID()}`,
        files: files.map(({ file }) => toHanded(file)),
        chosenAt,
        runId: null,
      },
      arrivals: files.map(({ arrivedAt }) => arrivedAt.toISOString()),
    }));
    store.atomically(
      () => {
        for (const { handover } of begun) store.putHandover(handover);
      },
      { durable: true },
    );
    const starting = this.#startAll(begun);
    this.#starts = starting;
    return starting;
  }

  /** A run has ended. Returns whether it belongs to this trigger. */
  noteEnd(runId: string, isSuccess: boolean): boolean {
    const found = [...this.#live.values()].find(({ handover }) => handover.runId === runId);
    if (found === undefined || found.end !== null) return false;
    this.#live.set(found.handover.key, { ...found, end: { isSuccess }, dueMs: 0 });
    this.#options.notices.noteEnd(isSuccess);
    return true;
  }

  /** Finishes the handovers whose run has ended. Returns the paths that may have changed during the runs. */
  async finishEnded(): Promise<string[]> {
    const nowMs = this.#options.steadyMs();
    const paths: string[] = [];
    for (const { handover } of this.#unclear.values()) paths.push(...handover.files.map(({ path }) => path));
    this.#resolveAll();
    for (const { handover, end, dueMs } of [...this.#live.values()]) {
      if (end === null || dueMs > nowMs) continue;
      paths.push(...handover.files.map(({ path }) => path));
      await this.#finish(handover, end.isSuccess);
    }
    return paths;
  }

  /** Never rejects: what could not be stored is unclear, and stored later. */
  async #startAll(begun: readonly Unclear[]): Promise<Refusal | null> {
    const { trigger, log } = this.#options;
    const attempts = await Promise.all(begun.map((one) => this.#startOne(one)));
    try {
      this.#settle(attempts);
    } catch (error) {
      log.error({ err: error, trigger: trigger.id }, 'cannot store the runs for files yet');
      for (const attempt of attempts) this.#doubt(attempt);
    }
    const refused = attempts.flatMap(({ result }) => (result?.kind === 'refused' ? [result] : []));
    return refused[0] ?? null;
  }

  async #startOne({ handover, arrivals }: Unclear): Promise<Attempt> {
    const { trigger, runs, log } = this.#options;
    const { key, files } = handover;
    try {
      const result = await runs.start({ trigger, key, data: files.map(({ path }) => path) });
      const runId = result.kind === 'started' ? result.runId : null;
      return { handover: { ...handover, runId }, arrivals, result };
    } catch (error) {
      log.error({ err: error, trigger: trigger.id }, 'cannot start the run for a file yet');
      return { handover, arrivals, result: null };
    }
  }

  #settle(attempts: readonly Attempt[]): void {
    const { store, trigger, isRemoved } = this.#options;
    if (isRemoved()) return;
    // After a power failure, a run may have been forgotten before Hob starts again. Its files must not be handed over again.
    store.atomically(
      () => {
        for (const attempt of attempts)
          if (attempt.result?.kind === 'started') this.#write(attempt);
          else if (attempt.result !== null) store.removeHandover(trigger.id, attempt.handover.key);
      },
      { durable: true },
    );
    for (const attempt of attempts) {
      const { handover, result } = attempt;
      if (result === null) this.#doubt(attempt);
      if (result?.kind !== 'started') continue;
      this.#claim(handover.files);
      this.#follow(handover, result.runId);
    }
  }

  #doubt({ handover, arrivals }: Unclear): void {
    this.#claim(handover.files);
    this.#unclear.set(handover.key, { handover, arrivals });
  }

  /** Finds out which runs of unclear handovers started, and stores that. */
  #resolveAll(): void {
    const { trigger, runs, store, now, keysKeptMs } = this.#options;
    for (const [key, { handover, arrivals }] of [...this.#unclear]) {
      const runId = handover.runId ?? runs.find(trigger, key);
      if (runId === null) {
        const mayHaveStarted = now().getTime() - Date.parse(handover.chosenAt) >= keysKeptMs;
        store.atomically(
          () => {
            if (mayHaveStarted) this.#skip(handover);
            store.removeHandover(trigger.id, key);
          },
          { durable: false },
        );
        this.#release(handover.files);
      } else {
        const started = { ...handover, runId };
        store.atomically(() => this.#write({ handover: started, arrivals }), { durable: true });
        this.#follow(started, runId);
      }
      this.#unclear.delete(key);
    }
  }

  /** The key is forgotten, so its run may have started. The files must not be handed over again. */
  #skip({ triggerId, key, files, chosenAt }: Handover): void {
    const { store, known, now } = this.#options;
    known.record(files);
    for (const [index, { path }] of files.entries())
      store.record({
        triggerId,
        key: `${key}/${index}`,
        dueAt: chosenAt,
        recordedAt: now().toISOString(),
        outcome: 'skipped',
        reason: 'missed-too-long',
        detail: `${path}: its run may have started before Hob was stopped`,
        runId: null,
      });
  }

  /** Stores that the files were handed over. */
  #write({ handover, arrivals }: Unclear): void {
    const { store, known, now } = this.#options;
    const { triggerId, key, files, runId } = handover;
    const at = now();
    store.putHandover(handover);
    known.record(files);
    for (const [index, { path }] of files.entries()) {
      const dueAt = arrivals[index] ?? at.toISOString();
      const firing = {
        triggerId,
        key: `${key}/${index}`,
        dueAt,
        outcome: 'fired',
        detail: path,
        runId,
      } as const;
      store.record(firingAt(at, firing));
    }
  }

  /** Waits for the end of a run. */
  #follow(handover: Handover, runId: string): void {
    if (!this.#live.has(handover.key)) this.#live.set(handover.key, { handover, end: null, dueMs: 0 });
    // A short run may have ended before `start` returned.
    const end = this.#options.runs.endOf(runId);
    if (end !== 'live') this.noteEnd(runId, end === 'succeeded');
  }

  async #finish(ended: Handover, isSuccess: boolean): Promise<void> {
    const { store, isRemoved, steadyMs } = this.#options;
    const { key } = ended;
    const { write, toMove, isChanged } = await this.#afterRun.judge(ended);
    if (isRemoved()) return;
    const handover = { ...ended, files: toMove };
    if (isChanged) {
      // Stored before the move: after a kill, a file that arrives under the same path must not be taken for the moved one.
      store.atomically(
        () => {
          write();
          store.putHandover(handover);
        },
        { durable: true },
      );
      this.#keep(ended, handover, { isSuccess });
    }
    const { write: writeMoved, left, stuck } = await this.#afterRun.move(toMove, isSuccess);
    if (isRemoved()) return;
    const rest = { ...handover, files: left };
    store.atomically(
      () => {
        if (!isChanged) write();
        writeMoved();
        if (stuck === null) store.removeHandover(ended.triggerId, key);
        else store.putHandover(rest);
      },
      { durable: false },
    );
    this.#keep(ended, rest, { isSuccess, dueMs: steadyMs() + moveAgainMs });
    if (stuck !== null) {
      this.#noteStuck(key, stuck);
      return;
    }
    this.#live.delete(key);
    this.#noteMoved(key);
  }

  /** Files with which nothing remains to be done may be handed over again. */
  #keep(
    before: Handover,
    handover: Handover,
    { isSuccess, dueMs = 0 }: { isSuccess: boolean; dueMs?: number },
  ): void {
    this.#live.set(handover.key, { handover, end: { isSuccess }, dueMs });
    this.#release(before.files);
    this.#claim(handover.files);
  }

  #noteMoved(key: string): void {
    if (!this.#stuck.delete(key) || this.#stuck.size > 0) return;
    this.#logged.clear();
    this.#options.notices.noteStuck(null);
  }

  #noteStuck(key: string, stuck: Stuck): void {
    const { path, errno } = stuck;
    const { trigger, log, notices } = this.#options;
    const problem = moveProblem(stuck);
    this.#stuck.set(key, problem);
    notices.noteStuck(problem);
    // A folder that is read-only may hold thousands of such files.
    if (this.#logged.has(errno)) return;
    this.#logged.add(errno);
    log.warn(
      { trigger: trigger.id, file: path, errno },
      'cannot move a file after its run; it is tried again',
    );
  }

  #claim(files: readonly HandedFile[]): void {
    for (const { path } of files) this.#claimed.add(path);
  }

  #release(files: readonly HandedFile[]): void {
    for (const { path } of files) this.#claimed.delete(path);
  }
}
