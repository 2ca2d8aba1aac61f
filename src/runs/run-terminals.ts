import type { TerminalSize, TypedPiece } from '../execution/messages.ts';
import type { RunOutputs } from './output/run-outputs.ts';
import { endedAlready, terminalOutOfReach, unknownRun, withoutTerminal } from './refusals.ts';
import type { Executor } from './run-request.ts';
import type { RunStore } from './run-store.ts';

interface RunTerminalsOptions {
  store: Pick<RunStore, 'findBrief'>;
  executor: Pick<Executor, 'terminalOf' | 'type' | 'resize'>;
  outputs: Pick<RunOutputs, 'look' | 'hasten'>;
}

/** A terminal that takes input, as a page needs to know it. */
interface OpenTerminal extends TerminalSize {
  /** What was written so far, for a terminal of this size. A page shows it so first, and takes its own size then. */
  readonly outputBytes: number;
}

/** The terminals of runs that pages of the console show, and are typed into there. */
export class RunTerminals {
  readonly #options: RunTerminalsOptions;
  #lastSize: TerminalSize = { columns: 80, rows: 24 };

  constructor(options: RunTerminalsOptions) {
    this.#options = options;
  }

  /** The size that a page said last: the next one is likely to have it, too, and a script that asks at once is told the truth. */
  get lastSize(): TerminalSize {
    return this.#lastSize;
  }

  /** Null when the run has none that takes input: it never had, not yet, or not any more. */
  async look(runId: string): Promise<OpenTerminal | null> {
    const { store, executor, outputs } = this.#options;
    const record = store.findBrief(runId) ?? unknownRun(runId);
    const size = record.endedAt === null ? executor.terminalOf(runId) : null;
    if (size === null) return null;
    const { endBytes } = await outputs.look(record, 'stdout');
    return { ...size, outputBytes: endBytes };
  }

  type(runId: string, piece: TypedPiece): void {
    this.#require(runId);
    if (!this.#options.executor.type(runId, piece)) throw terminalOutOfReach();
    this.#options.outputs.hasten(runId);
  }

  resize(runId: string, size: TerminalSize): void {
    this.#require(runId);
    if (!this.#options.executor.resize(runId, size)) throw terminalOutOfReach();
    this.#lastSize = size;
    this.#options.outputs.hasten(runId);
  }

  #require(runId: string): void {
    const { store, executor } = this.#options;
    const { endedAt } = store.findBrief(runId) ?? unknownRun(runId);
    if (endedAt !== null) throw endedAlready(runId);
    if (executor.terminalOf(runId) === null) throw withoutTerminal(runId);
  }
}
