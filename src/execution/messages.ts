import type { Containment, EndCause, executorStates, WarmLanguage } from '../contract/values.ts';
import type { Language, Text } from '../shared/text.ts';

/**
 * The messages between service and executor: one JSON object per line. Every message can be repeated without harm,
 * because runs are identified by their id. The executor ignores a `start` of a run that it already has, or whose end it
 * still keeps. It sends an end again until the service acknowledges it. Typed input is numbered by its sender, so that
 * repeated input is recognized. The service sends terminal messages only for a run that the executor reported to have a
 * terminal: an executor of an older build may not know these messages.
 */
export const protocolVersion = 4;

/** The environment variable that identifies every process of a run, even after it has left the process group. */
export const runCookie = 'HOB_RUN_ID';

export type Environment = Readonly<Record<string, string>>;

/** The information that the executor needs to start a script and supervise it until its end. */
export interface RunSpec {
  readonly runId: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are already quoted in the way that `cmd` expects. */
  readonly isVerbatim: boolean;
  readonly cwd: string;
  /** Variables added to the environment that all runs share; they override shared variables of the same name. */
  readonly env: Environment;
  /**
   * The executor writes the output to `stdout.log` and `stderr.log` in this folder. It removes the parameter file from
   * the folder when the run ends.
   */
  readonly runFolder: string;
  readonly timeoutMs: number | null;
  readonly stopGraceMs: number;
  readonly outputLogBytes: number;
  /** Whether processes that the script leaves behind keep running when the script ends by itself. */
  readonly survivors: 'keep' | 'stop';
  /** Null: the run has no window. A service of an older build omits the field. */
  readonly window?: WindowSpec | null;
  /** Null: the run always gets a new interpreter, never a warm one. */
  readonly warm?: WarmSpec | null;
}

/** How a warm interpreter can execute the run with the same effect as the command itself. */
export interface WarmSpec {
  readonly language: WarmLanguage;
  /** The interpreter options, which precede the entry in the arguments. */
  readonly options: readonly string[];
  /** The entry file, spelled as in the arguments. */
  readonly entry: string;
  /** Modules that are loaded before the interpreter gets a run; Python only. */
  readonly preload: readonly string[];
}

/** Limits for warm interpreters. */
export interface WarmLimits {
  /** Zero: no interpreter is kept warm. */
  readonly memoryBytes: number;
  /** Interpreters that no run has needed for this long are ended. */
  readonly idleMs: number;
}

/** The state of an executor's warm interpreters. */
export interface WarmState {
  /** Runs executed by a warm interpreter since the executor started. */
  readonly hits: number;
  /** Runs that could have used a warm interpreter but got a new one. */
  readonly misses: number;
  readonly memoryBytes: number;
  /** Whether the executor starts no warm interpreters for now because the machine is short of memory. */
  readonly isShortOfMemory: boolean;
  readonly kinds: readonly WarmKind[];
}

/** Warm interpreters that are interchangeable. */
export interface WarmKind {
  readonly language: WarmLanguage;
  /** The interpreter's file. */
  readonly file: string;
  readonly preload: readonly string[];
  /**
   * Whether the interpreters are forks of one process that has loaded everything. Otherwise each one is started
   * separately.
   */
  readonly isForked: boolean;
  readonly waiting: number;
  readonly memoryBytes: number;
}

/** When a window stays open after the end of its run, until a key is pressed. */
export const windowHolds = ['failure', 'always', 'never'] as const;
export type WindowHold = (typeof windowHolds)[number];

/** The window that shows a run. */
export interface WindowSpec {
  /** Commands that open a window, in order of preference; the command to run in the window is appended. */
  readonly commands: readonly (readonly string[])[];
  /** The environment of the terminal emulator. It must not identify the emulator as a process of the run. */
  readonly env: Environment;
  readonly title: string;
  readonly language: Language;
  readonly hold: WindowHold;
  /**
   * Set if the run has a terminal that a page of the console shows, instead of a window; its value is the initial size.
   * `commands` is empty then, so an executor of an older build opens no window.
   */
  readonly page?: TerminalSize;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Input that was typed into the terminal of a run. */
export interface TypedPiece {
  readonly base64: string;
  /** Sender, and sequence number within that sender; null if the input is never sent again. */
  readonly order: { readonly sender: string; readonly number: number } | null;
  /**
   * Set if the terminal sent this input to answer a query of the script: the number of output bytes up to that query.
   * Null if a person typed it.
   */
  readonly answers: number | null;
}

export interface StreamCapture {
  /** All bytes that the script wrote. */
  readonly bytes: number;
  /**
   * How many bytes at the start of the log file are the start of the output. The rest of the file is the end of the
   * output.
   */
  readonly headBytes: number;
  readonly tailBytes: number;
  /** The whole output, if it is short and valid text; a reader then need not open the log. */
  readonly text?: string;
}

/**
 * How a run ended, as the executor observed it. Times are wall time in milliseconds; the duration comes from a
 * monotonic clock.
 */
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
  /**
   * How many processes of the run were still running after its end; null if they are counted later, or cannot be
   * counted.
   */
  readonly leftRunning: number | null;
  /**
   * Set if the run had a window, where all output is one stream. `gone` if the run was stopped because the window was
   * closed or killed.
   */
  readonly window?: 'open' | 'gone';
}

/** How the processes of a run are found when it is stopped, from the strongest method to the weakest. */
export type StopCause = 'cancelled' | 'shutdown';

export type ToExecutor =
  | { readonly type: 'hello'; readonly protocol: number; readonly secret: string }
  /** The environment that all runs share from now on. It is most of each run's environment, so it is sent only once. */
  | { readonly type: 'environment'; readonly env: Environment }
  | { readonly type: 'start'; readonly spec: RunSpec }
  | { readonly type: 'stop'; readonly runId: string; readonly cause: StopCause }
  /** The end of this run is recorded. */
  | { readonly type: 'acknowledge'; readonly runId: string }
  /** The counts of processes that these runs left running are recorded. */
  | { readonly type: 'acknowledge-counts'; readonly runIds: readonly string[] }
  /** Another executor has died: clean up what it left behind. */
  | { readonly type: 'inherit' }
  /** Another executor takes new runs from now on: end when all runs have ended and every end is acknowledged. */
  | { readonly type: 'retire' }
  /** Limits for warm interpreters; until this message arrives, there are none. */
  | { readonly type: 'allow-warm'; readonly limits: WarmLimits }
  /** For a run whose terminal is shown in a page. */
  | ({ readonly type: 'type'; readonly runId: string } & TypedPiece)
  | ({ readonly type: 'resize'; readonly runId: string } & TerminalSize)
  /** Answered with `pong`. Sent only to executors whose welcome contains `answersPing`. */
  | { readonly type: 'ping' }
  /** The service shuts down in an orderly way: an executor without runs may end at once. */
  | { readonly type: 'farewell' };

export type FromExecutor =
  | {
      readonly type: 'welcome';
      readonly protocol: number;
      readonly version: string;
      readonly pid: number;
      /** Distinguishes this executor from others: a run that this instance does not know was never given to it. */
      readonly instance: string;
      readonly containment: Containment;
      readonly running: readonly RunningProcess[];
      /** Runs that ended and are not yet acknowledged. */
      readonly ended: readonly RunEnd[];
      /** Counts that are not yet acknowledged. */
      readonly counts: readonly Count[];
      /** Absent if the executor is of a build that does not know `ping`. */
      readonly answersPing?: true;
    }
  | {
      readonly type: 'started';
      readonly runId: string;
      readonly pid: number;
      readonly startedAtMs: number;
      /** Why the run has no window although one was requested. */
      readonly windowless?: Text | null;
      /** The size of the run's terminal, if a page shows it. */
      readonly terminal?: TerminalSize | null;
      /**
       * The state of the warm interpreters after this run started, if the run could use one: readers see the effect of
       * the run at once.
       */
      readonly warm?: WarmState;
    }
  /** A run has reached its time limit. Stopping it takes a while. */
  | { readonly type: 'timed-out'; readonly runId: string }
  /** `warm` has the same meaning as in `started`. */
  | { readonly type: 'ended'; readonly end: RunEnd; readonly warm?: WarmState }
  | { readonly type: 'counted'; readonly counts: readonly Count[] }
  /** Sent when the state has changed, a few times per second at most. */
  | { readonly type: 'warm'; readonly state: WarmState }
  /** The executor has cleaned up what earlier executors left behind. */
  | { readonly type: 'inherited' }
  | { readonly type: 'pong' };

export const toExecutorTypes = [
  'hello',
  'environment',
  'start',
  'stop',
  'acknowledge',
  'acknowledge-counts',
  'inherit',
  'retire',
  'allow-warm',
  'type',
  'resize',
  'ping',
  'farewell',
] as const satisfies readonly ToExecutor['type'][];

export const fromExecutorTypes = [
  'welcome',
  'started',
  'timed-out',
  'ended',
  'counted',
  'warm',
  'inherited',
  'pong',
] as const satisfies readonly FromExecutor['type'][];

/** A run that an executor has, with the id of its main process once that has started. */
export interface RunningProcess {
  readonly runId: string;
  readonly pid: number | null;
  /** Whether the run has reached its time limit and is being stopped. */
  readonly isTimedOut: boolean;
  /** The size of the run's terminal, if a page shows it. */
  readonly terminal?: TerminalSize | null;
}

/** The number of processes that a run left running. */
export interface Count {
  readonly runId: string;
  readonly leftRunning: number;
}

/** The address of an executor of a home. The address file contains the secret, so only its user can read it. */
export interface ExecutorAddress {
  readonly pid: number;
  readonly instance: string;
  readonly version: string;
  readonly protocol: number;
  readonly socket: string;
  readonly secret: string;
}

/** The state of a home's executors, as its service observes it. */
export interface ExecutorState {
  /** The state of the executor that takes new runs. */
  readonly state: (typeof executorStates)[number];
  readonly pid: number | null;
  /** Every executor that does not answer, including those that only finish runs of an earlier service. */
  readonly silentPids: readonly number[];
}

/** The folder in the home that contains the sockets, pipes, journals and address files of executors. */
export const executorFolder = 'executor';
export const addressFileEnd = '-address.json';

const noOutput: StreamCapture = { bytes: 0, headBytes: 0, tailBytes: 0 };

/** The end of a run that had no process, or whose process ended unobserved. */
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
    leftRunning: null,
  };
}
