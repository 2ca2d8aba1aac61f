/**
 * What service and executor say to each other: one JSON object a line. Every message can be repeated without harm, since
 * runs are known by their id: a second `start` of a run is ignored, and an `ended` comes again until it is acknowledged.
 */
export const protocolVersion = 1;

/** Everything the executor must know to start a script and see it through. */
export interface RunSpec {
  readonly runId: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are already quoted, in the way that `cmd` wants it. */
  readonly isVerbatim: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Output is written here, to `stdout.log` and `stderr.log`. */
  readonly runFolder: string;
  readonly timeoutMs: number | null;
  readonly stopGraceMs: number;
  readonly outputLogBytes: number;
}

export const endCauses = [
  'exit',
  'signal',
  'timeout',
  'cancelled',
  'spawn-failed',
  'shutdown',
  'lost',
] as const;
export type EndCause = (typeof endCauses)[number];

export interface StreamCapture {
  /** All that the script wrote. */
  readonly bytes: number;
  /** How much of it the log file starts with; the rest of the file, after the mark, is the end of the output. */
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** How a run ended, as the executor saw it. Times are wall time in milliseconds; the duration is measured, not computed. */
export interface RunEnd {
  readonly runId: string;
  readonly cause: EndCause;
  readonly exitCode: number;
  readonly signal: string | null;
  /** The errno of a failed spawn. */
  readonly spawnError: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number;
  readonly durationMs: number;
  readonly stdout: StreamCapture;
  readonly stderr: StreamCapture;
}

export type StopCause = 'cancelled' | 'shutdown';

export type ToExecutor =
  | { readonly type: 'hello'; readonly protocol: number; readonly secret: string }
  | { readonly type: 'start'; readonly spec: RunSpec }
  | { readonly type: 'stop'; readonly runId: string; readonly cause: StopCause }
  | { readonly type: 'acknowledge'; readonly runId: string }
  /** The service goes away in good order: an executor without runs may end at once. */
  | { readonly type: 'farewell' };

export type FromExecutor =
  | {
      readonly type: 'welcome';
      readonly protocol: number;
      readonly version: string;
      readonly pid: number;
      /** Tells one executor from the next: what this one does not know, it was never given. */
      readonly instance: string;
      readonly running: readonly string[];
      /** Runs that ended and were not acknowledged yet. */
      readonly ended: readonly RunEnd[];
    }
  | { readonly type: 'started'; readonly runId: string; readonly pid: number; readonly startedAtMs: number }
  | { readonly type: 'ended'; readonly end: RunEnd };

/** Where the executor of a home can be reached; the file holds the secret, so only its user can read it. */
export interface ExecutorAddress {
  readonly pid: number;
  readonly socket: string;
  readonly secret: string;
  readonly protocol: number;
}

export const executorFile = 'executor.json';

const noOutput: StreamCapture = { bytes: 0, headBytes: 0, tailBytes: 0 };

/** The end of a run that had no process, or whose process nobody saw end. */
export function endWithoutProcess(runId: string, cause: EndCause, spawnError: string | null = null): RunEnd {
  return {
    runId,
    cause,
    exitCode: -1,
    signal: null,
    spawnError,
    startedAtMs: null,
    endedAtMs: Date.now(),
    durationMs: 0,
    stdout: noOutput,
    stderr: noOutput,
  };
}
