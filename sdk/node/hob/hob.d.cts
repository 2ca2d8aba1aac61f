/** Returns the current run, always the same object. */
export function run(): Run;

/**
 * Runs the function as the script. The return value becomes the envelope: an object provides the keys, a string the message, and
 * nothing means success. An exception becomes an envelope with code 1 and ends the script.
 */
export function main(work: (given: Given) => Returned | Promise<Returned>): Promise<void>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is allowed.
export type Returned = Record<string, unknown> | string | null | undefined | void;

// biome-ignore lint/suspicious/noExplicitAny: only the manifest knows the types of the params.
export type Params = Record<string, any>;

export interface Given {
  readonly inputs: string[];
  readonly params: Params;
  readonly run: Run;
}

export interface Run {
  /** Whether Hob started the script. */
  readonly isUnderHob: boolean;
  /** The values of the main input. */
  readonly inputs: string[];
  readonly params: Params;
  /** `data` as sent, for scripts that declare no input. */
  readonly data: unknown;
  /** Base address of Hob; empty if there is none. */
  readonly apiBase: string;
  readonly outputJson: string | null;
  readonly runId: string | null;
  readonly scriptId: string | null;
  readonly scriptDir: string;
  readonly runDir: string;
  readonly invokeMode: string;
  /** The last written envelope. */
  readonly envelope: Record<string, unknown> | null;
  /** Writes a success envelope with these values, or with this message. The script continues; the last written envelope counts. */
  ok(values?: Record<string, unknown> | string): void;
  /** Writes a failure envelope and exits immediately, with `code` if it is a valid exit code, otherwise with 1. */
  fail(msg: string, values?: { code?: number; [name: string]: unknown }): never;
  /** Runs another script, which must be a node, and waits for its end. Rejects with a LinkError if it fails, unless `check` is false. */
  link(scriptId: string, options?: LinkOptions): Promise<LinkResult>;
  /** Shows a desktop notification. `duration` is in milliseconds. */
  notify(
    message?: string | null,
    options?: { type?: 'success' | 'error' | 'info'; duration?: number; showClose?: boolean },
  ): Promise<void>;
  /** Returns the folder of the model `owner/name`. Rejects with a ModelError if it is not on this machine. */
  modelPath(repo: string): Promise<string>;
  /** Reports progress: a fraction from 0 to 1, a message, or both. Never fails; safe to call in a tight loop. */
  progress(fraction?: number | null, message?: string | null): void;
}

export interface LinkOptions {
  data?: Record<string, unknown> | readonly unknown[] | string;
  params?: Record<string, unknown>;
  check?: boolean;
}

/** The outcome of a linked script. If the script was not run, the fields are the same and `result` says why. */
export interface LinkResult {
  /** Whether the process succeeded and the code of its envelope is 0. */
  readonly ok: boolean;
  /** The HTTP status; null if Hob did not respond. */
  readonly status: number | null;
  readonly message: string;
  /** The envelope. */
  readonly result: Params;
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** A call to Hob failed. */
export class HobError extends Error {}

/** The model is not on this machine. */
export class ModelError extends HobError {}

/** A linked script failed or was not run. */
export class LinkError extends HobError {
  readonly result: LinkResult;
}
