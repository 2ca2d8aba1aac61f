import type { RunSpec, WarmSpec } from '../../execution/messages.ts';
import type { OutputPipe } from '../fifo-pool.ts';
import type { ProcessExit } from '../process-exit.ts';

/** A started interpreter that waits for its one run. */
export interface WarmInterpreter {
  readonly pid: number;
  readonly startTicks: number;
  /** The reading ends of its streams. They are whoever's who gives it a run. */
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
  readonly exited: Promise<ProcessExit>;
  /** Whether it was there to take it. */
  give(order: Order): boolean;
  /** Ends one that was given nothing. */
  discard(): void;
}

/** A run, as an interpreter is told of it. */
export interface Order {
  readonly run_id: string;
  readonly file: string;
  readonly options: readonly string[];
  readonly entry: string;
  /** What follows the entry. */
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

/** What it takes to start an interpreter that can stand in for others of its kind. */
export interface InterpreterSpec extends WarmSpec {
  readonly file: string;
  /** That of the runs, with a place for the variable by which each is known. */
  readonly env: Readonly<Record<string, string>>;
}
