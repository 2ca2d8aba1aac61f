import { randomUUID } from 'node:crypto';

import type { OperationKind, OperationStage, OperationState } from '../../contract/values.ts';
import type { Problem } from '../../scripts/script.ts';
import type { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { OperationView } from '../package-operation.ts';
import type { FetchProgress, PackageSource } from '../package-source.ts';

/** Limit of reported problems, because a hostile package could have any number. */
const mostTold = 100;

interface OperationOptions {
  readonly kind: OperationKind;
  readonly stage: OperationStage;
  readonly script: OperationView['script'];
  readonly source: PackageSource | null;
  readonly startedAt: string;
}

/** An operation on a package. */
export class Operation {
  readonly id = randomUUID();
  readonly #options: OperationOptions;
  readonly #abort = new AbortController();
  readonly #publish: (view: OperationView) => void;
  readonly #warnings: Text[] = [];
  #state: OperationState = 'running';
  #stage: OperationStage | null;
  #script: OperationView['script'];
  #progress: FetchProgress = { entriesDone: 0, bytesDone: 0 };
  #runId: string | null = null;
  #problems: readonly Problem[] = [];
  #endedAt: string | null = null;
  #error: AppError | null = null;
  #reported: FetchProgress = this.#progress;

  constructor(options: OperationOptions, publish: (view: OperationView) => void) {
    this.#options = options;
    this.#publish = publish;
    this.#stage = options.stage;
    this.#script = options.script;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Returns whether the operation could be stopped. */
  cancel(): boolean {
    if (!this.isRunning || this.signal.aborted) return false;
    this.#abort.abort();
    return true;
  }

  enter(stage: OperationStage): void {
    this.#stage = stage;
    this.#publish(this.view());
  }

  knows(script: NonNullable<OperationView['script']>): void {
    const { id, name, version } = script;
    this.#script = { id, name, version };
  }

  warn(...warnings: readonly Text[]): void {
    this.#warnings.push(...warnings.slice(0, mostTold - this.#warnings.length));
  }

  finds(problems: readonly Problem[]): void {
    const errors = problems.filter(({ severity }) => severity === 'error');
    const notes = problems.filter(({ severity }) => severity !== 'error');
    this.#problems = [...errors, ...notes].slice(0, mostTold);
  }

  isAt(progress: FetchProgress): void {
    this.#progress = progress;
  }

  isBuiltBy(runId: string): void {
    this.#runId = runId;
    this.#publish(this.view());
  }

  /** Publishes the progress if it has changed. */
  report(): void {
    if (this.#progress === this.#reported) return;
    this.#reported = this.#progress;
    this.#publish(this.view());
  }

  /** Does not publish yet, because the claim must be released first. */
  end(state: OperationState, endedAt: string, error: AppError | null): void {
    this.#state = state;
    this.#stage = null;
    this.#endedAt = endedAt;
    this.#error = error;
  }

  tell(): void {
    this.#publish(this.view());
  }

  view(): OperationView {
    return {
      id: this.id,
      kind: this.#options.kind,
      state: this.#state,
      stage: this.#stage,
      script: this.#script,
      source: this.#options.source,
      ...this.#progress,
      runId: this.#runId,
      warnings: [...this.#warnings],
      problems: this.#problems,
      startedAt: this.#options.startedAt,
      endedAt: this.#endedAt,
      error: this.#error,
    };
  }
}
