import type { RunSpec, WarmSpec } from '../../execution/messages.ts';
import type { OutputPipe } from '../fifo-pool.ts';
import type { ProcessExit } from '../process-exit.ts';

/** A started interpreter that waits for its one run. */
export interface WarmInterpreter {
  readonly pid: number;
  readonly startTicks: number;
  /** The reading ends of its streams. They belong to the caller that gives it a run. */
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
  readonly exited: Promise<ProcessExit>;
  /** Returns whether the interpreter received the run. */
  give(order: Order): boolean;
  /** Ends an interpreter that got no run. */
  discard(): void;
}

/** A run, as it is sent to an interpreter. */
export interface Order {
  readonly run_id: string;
  readonly file: string;
  readonly options: readonly string[];
  readonly entry: string;
  /** The arguments after the entry. */
  readonly args: readonly string[];
  readonly cwd: string;
}

export function orderFor(spec: RunSpec, { options, entry }: WarmSpec): Order {
  const args = spec.args.slice(options.length + 1);
  return { run_id: spec.runId, file: spec.file, options, entry, args, cwd: spec.cwd };
}

export function encodeOrder(order: object): string {
  return `${JSON.stringify(order)}\n`;
}

/** The parameters for starting an interpreter that is interchangeable with others of its kind. */
export interface InterpreterSpec extends WarmSpec {
  readonly file: string;
  /** The environment of the runs, with a placeholder for the variable that identifies each run. */
  readonly env: Readonly<Record<string, string>>;
}
