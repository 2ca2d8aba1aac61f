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

/** A terminal that accepts input, described for a page. */
interface OpenTerminal extends TerminalSize {
  /** Bytes written so far, for a terminal of this size. A page first shows them in this size, then applies its own. */
  readonly outputBytes: number;
}

/** The terminals of runs that pages of the console show and send input to. */
export class RunTerminals {
  readonly #options: RunTerminalsOptions;
  #lastSize: TerminalSize = { columns: 80, rows: 24 };

  constructor(options: RunTerminalsOptions) {
    this.#options = options;
  }

  /**
   * The last size that a page reported. The next page probably has the same size, so a script that asks for the size at
   * its start gets the right one.
   */
  get lastSize(): TerminalSize {
    return this.#lastSize;
  }

  /** Null if the run has no terminal that accepts input: it never had one, has none yet, or has ended. */
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
