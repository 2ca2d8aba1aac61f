/** The run that this script is; the same each time. */
export function run(): Run;

/**
 * Carries out a script. What the function returns becomes the envelope: the keys of an object, a text as the message, nothing as
 * a plain success. What it throws becomes an envelope with the code 1, and ends the script.
 */
export function main(work: (given: Given) => Returned | Promise<Returned>): Promise<void>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is one that may be passed.
export type Returned = Record<string, unknown> | string | null | undefined | void;

// biome-ignore lint/suspicious/noExplicitAny: what the params are is known to the manifest alone.
export type Params = Record<string, any>;

export interface Given {
  readonly inputs: string[];
  readonly params: Params;
  readonly run: Run;
}

export interface Run {
  /** Whether it was Hob who started the script, and not a person. */
  readonly isUnderHob: boolean;
  /** The values of the main input. */
  readonly inputs: string[];
  readonly params: Params;
  /** As it was sent; of use to a script that declares no input. */
  readonly data: unknown;
  /** The address to call Hob by; empty when there is none. */
  readonly apiBase: string;
  readonly outputJson: string | null;
  readonly runId: string | null;
  readonly scriptId: string | null;
  readonly scriptDir: string;
  readonly runDir: string;
  readonly invokeMode: string;
  /** The envelope that was written last. */
  readonly envelope: Record<string, unknown> | null;
  /** Writes the envelope of a success: its values, or its message alone. The script goes on; the last envelope counts. */
  ok(values?: Record<string, unknown> | string): void;
  /** Writes the envelope of a failure and ends the script at once, with `code` if that is an exit code, else with 1. */
  fail(msg: string, values?: { code?: number; [name: string]: unknown }): never;
  /** Runs another script, which must be a node, and waits for it. Rejects with a LinkError if it fails, unless `check` is false. */
  link(scriptId: string, options?: LinkOptions): Promise<LinkResult>;
  /** Tells something to the person at the desk. `duration` is in milliseconds. */
  notify(
    message?: string | null,
    options?: { type?: 'success' | 'error' | 'info'; duration?: number; showClose?: boolean },
  ): Promise<void>;
  /** The folder of a model, by its `owner/name`. Rejects with a ModelError when it is not on this machine. */
  modelPath(repo: string): Promise<string>;
  /** Says how far the script is: from 0 to 1, what it does, or both. Never fails, and may be called in a tight loop. */
  progress(fraction?: number | null, message?: string | null): void;
}

export interface LinkOptions {
  data?: Record<string, unknown> | readonly unknown[] | string;
  params?: Record<string, unknown>;
  check?: boolean;
}

/** What became of a linked script. It has the same fields when nothing came of it: `result` then says why. */
export interface LinkResult {
  /** Whether the script ended well and says so itself. */
  readonly ok: boolean;
  /** The HTTP status; null when Hob did not answer. */
  readonly status: number | null;
  readonly message: string;
  /** The envelope. */
  readonly result: Params;
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Something that was asked of Hob could not be done. */
export class HobError extends Error {}

/** A model is not on this machine. */
export class ModelError extends HobError {}

/** A linked script failed, or was not run at all. */
export class LinkError extends HobError {
  readonly result: LinkResult;
}
