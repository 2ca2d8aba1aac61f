import { randomUUID } from 'node:crypto';

import type { OperationKind, OperationStage, OperationState } from '../../contract/values.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import type { Clock } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { Feed } from '../../shared/feed.ts';
import type { Logger } from '../../shared/log.ts';
import { Slots } from '../../shared/slots.ts';
import type { Text } from '../../shared/text.ts';
import type { checkFolder } from '../check/check-folder.ts';
import type { fetchPackage } from '../fetch/fetch-package.ts';
import type { FetchProgress, PackageSource } from '../package-source.ts';
import type { PackageStore } from '../store/package-store.ts';
import { refusalOf, tooMany } from './refusals.ts';

/** The part of the catalogue that packages need. */
export interface PackageCatalogue {
  find(id: string): Script | null;
  /** Whether a script with this id, usable or not, exists outside the packages. */
  isForeign(id: string): boolean;
  refresh(paths: Iterable<string>): Promise<void>;
}

export type PrepareScript = (
  script: Script,
  waiter: {
    readonly runId: null;
    readonly signal: AbortSignal;
    onBuild(buildRunId: string): void;
  },
) => Promise<
  { readonly kind: 'none' | 'python' | 'node' } | { readonly kind: 'unavailable'; readonly message: Text }
>;

export interface PackageParts {
  readonly store: PackageStore;
  readonly catalogue: PackageCatalogue;
  readonly fetch: typeof fetchPackage;
  readonly check: typeof checkFolder;
  readonly prepare: PrepareScript;
  /** Whether an active run uses this folder. */
  readonly isInUse: (scriptId: string, folder: string) => boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Logger;
}

const atOnce = 4;

/** Limit of running and waiting operations, which are kept in memory. */
const mostRunning = 100;
const keptEnded = 50;
const betweenReportsMs = 250;

/** The work of an operation, and the claim to release afterwards. */
export interface Plan {
  readonly kind: OperationKind;
  readonly stage: OperationStage;
  readonly script: OperationView['script'];
  readonly source: PackageSource | null;
  readonly releases: (() => void)[];
  readonly work: (operation: Operation) => Promise<void>;
}

/**
 * The operations in progress and the latest that ended. Kept in memory only: an operation that a restart interrupts leaves nothing
 * behind and is not resumed.
 */
export class OperationList {
  readonly progress = new Feed<OperationView>();
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #slots = new Slots(atOnce);
  /** Oldest first. */
  readonly #operations = new Map<string, { readonly operation: Operation; ended: Promise<void> }>();

  constructor({ clock, log }: { clock: Clock; log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  begin(plan: Plan): OperationView {
    if (this.list().filter(({ isRunning }) => isRunning).length >= mostRunning) throw tooMany(mostRunning);
    const { kind, stage, script, source } = plan;
    const startedAt = this.#clock.now().toISOString();
    const operation = new Operation({ kind, stage, script: null, source, startedAt }, (view) =>
      this.progress.publish(view),
    );
    if (script !== null) operation.knows(script);
    const entry = { operation, ended: Promise.resolve() };
    this.#operations.set(operation.id, entry);
    operation.publish();
    entry.ended = this.#carry(operation, plan);
    return operation.view();
  }

  find(id: string): Operation | null {
    return this.#operations.get(id)?.operation ?? null;
  }

  /** Newest first. */
  list(): Operation[] {
    return [...this.#operations.values()].map(({ operation }) => operation).reverse();
  }

  /** Stops all operations that can be stopped, and waits for all. */
  async close(): Promise<void> {
    for (const operation of this.list()) operation.cancel();
    await Promise.all([...this.#operations.values()].map(({ ended }) => ended));
  }

  /** Runs an operation to its end. Never rejects. */
  async #carry(operation: Operation, { kind, work, releases }: Plan): Promise<void> {
    const what = { operation_id: operation.id, kind };
    const reporting = setInterval(() => operation.report(), betweenReportsMs);
    let free = () => {};
    let state: OperationState = 'done';
    let error: AppError | null = null;
    try {
      free = await this.#slots.take(operation.signal);
      this.#log.info(what, 'package operation started');
      await work(operation);
    } catch (failure) {
      state = operation.signal.aborted ? 'cancelled' : 'failed';
      if (state === 'failed') error = this.#explain(failure, what);
    } finally {
      free();
      clearInterval(reporting);
    }
    operation.set({ state, stage: null, endedAt: this.#clock.now().toISOString(), error });
    const { script } = operation.view();
    this.#log.info({ ...what, script_id: script?.id, state, code: error?.code }, 'package operation ended');
    this.#forget();
    // Release first: a subscriber may start the next operation immediately.
    for (const release of releases) release();
    operation.publish();
  }

  #explain(failure: unknown, what: Record<string, string>): AppError {
    const refusal = refusalOf(failure);
    if (refusal !== null) return refusal;
    this.#log.error({ ...what, err: failure }, 'package operation failed: internal error');
    return new AppError(
      'internal',
      { en: 'Internal error in Hob. See its log for details.', zh: 'Hob 内部错误，详见日志。' },
      { cause: failure },
    );
  }

  #forget(): void {
    const ended = this.list().filter(({ isRunning }) => !isRunning);
    for (const { id } of ended.slice(keptEnded)) this.#operations.delete(id);
  }
}

/** Snapshot of a package operation. */
export interface OperationView {
  readonly id: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  /** Null after the end. */
  readonly stage: OperationStage | null;
  /** Null until known. */
  readonly script: { readonly id: string; readonly name: string; readonly version: string | null } | null;
  readonly source: PackageSource | null;
  readonly entriesDone: number;
  readonly bytesDone: number;
  /** The run that prepares the environment, with its log. */
  readonly runId: string | null;
  /** Warnings for the user, which do not stop the operation. */
  readonly warnings: readonly Text[];
  readonly problems: readonly Problem[];
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly error: AppError | null;
}

/** Limit of reported problems, because a hostile package could have any number. */
const mostTold = 100;

export class Operation {
  readonly #abort = new AbortController();
  readonly #publish: (view: OperationView) => void;
  #view: OperationView;
  #hasProgress = false;

  constructor(
    begun: Pick<OperationView, 'kind' | 'stage' | 'script' | 'source' | 'startedAt'>,
    publish: (view: OperationView) => void,
  ) {
    this.#publish = publish;
    this.#view = {
      ...begun,
      id: randomUUID(),
      state: 'running',
      entriesDone: 0,
      bytesDone: 0,
      runId: null,
      warnings: [],
      problems: [],
      endedAt: null,
      error: null,
    };
  }

  get id(): string {
    return this.#view.id;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isRunning(): boolean {
    return this.#view.state === 'running';
  }

  view(): OperationView {
    return this.#view;
  }

  /** Returns whether the operation could be stopped. */
  cancel(): boolean {
    if (!this.isRunning || this.signal.aborted) return false;
    this.#abort.abort();
    return true;
  }

  /** Changes the operation without publishing it. */
  set(changes: Partial<OperationView>): void {
    this.#view = { ...this.#view, ...changes };
  }

  publish(changes: Partial<OperationView> = {}): void {
    this.set(changes);
    this.#publish(this.#view);
  }

  enter(stage: OperationStage): void {
    this.publish({ stage });
  }

  knows({ id, name, version }: NonNullable<OperationView['script']>): void {
    this.set({ script: { id, name, version } });
  }

  warn(...warnings: readonly Text[]): void {
    this.set({ warnings: [...this.#view.warnings, ...warnings].slice(0, mostTold) });
  }

  finds(problems: readonly Problem[]): void {
    const errors = problems.filter(({ severity }) => severity === 'error');
    const notes = problems.filter(({ severity }) => severity !== 'error');
    this.set({ problems: [...errors, ...notes].slice(0, mostTold) });
  }

  isAt(progress: FetchProgress): void {
    this.set(progress);
    this.#hasProgress = true;
  }

  /** Publishes the progress if it has changed. */
  report(): void {
    if (this.#hasProgress) this.publish();
    this.#hasProgress = false;
  }
}
