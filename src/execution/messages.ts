import type { Language, Text } from '../shared/text.ts';

/**
 * What service and executor say to each other: one JSON object a line. Every message can be repeated without harm, since
 * runs are known by their id: a `start` of a run that the executor has, or whose end it still keeps, is ignored, and an end is
 * told again until it is acknowledged. What is typed is numbered by its sender, so a piece that comes again is known. An executor that
 * never says of a run that it has a terminal is not sent anything for one: it may be of a build that does not know these messages.
 */
export const protocolVersion = 4;

/** The variable that every process of a run is started with, by which it can be told from all others, wherever it went. */
export const runCookie = 'HOB_RUN_ID';

export type Environment = Readonly<Record<string, string>>;

/** Everything the executor must know to start a script and see it through. */
export interface RunSpec {
  readonly runId: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are already quoted, in the way that `cmd` wants it. */
  readonly isVerbatim: boolean;
  readonly cwd: string;
  /** What it has beside the environment that all runs share, or instead of something in it. */
  readonly env: Environment;
  /** Output is written here, to `stdout.log` and `stderr.log`. The executor removes the parameter file from here when the run ends. */
  readonly runFolder: string;
  readonly timeoutMs: number | null;
  readonly stopGraceMs: number;
  readonly outputLogBytes: number;
  /** What becomes of processes that the script leaves behind when it ends by itself. */
  readonly survivors: 'keep' | 'stop';
  /** Null: nobody is to see it. A service of an older build does not say. */
  readonly window?: WindowSpec | null;
  /** Null: it is started cold, whatever is waiting. */
  readonly warm?: WarmSpec | null;
}

export const warmLanguages = ['python', 'node.js'] as const;
export type WarmLanguage = (typeof warmLanguages)[number];

/** How a run may be given to an interpreter that is started already, with the same effect as the command itself. */
export interface WarmSpec {
  readonly language: WarmLanguage;
  /** What stands before the entry in the arguments: options of the interpreter. */
  readonly options: readonly string[];
  /** The file that is run, as it stands in the arguments. */
  readonly entry: string;
  /** Modules that are loaded before there is a run; Python only. */
  readonly preload: readonly string[];
}

/** How much may be spent on interpreters that wait. */
export interface WarmLimits {
  /** Zero: none waits. */
  readonly memoryBytes: number;
  /** Those that nobody needed for so long are ended. */
  readonly idleMs: number;
}

/** How the warm interpreters of an executor stand. */
export interface WarmState {
  /** Runs that were given to one, since the executor was started. */
  readonly hits: number;
  /** Runs that could have been, and were started cold. */
  readonly misses: number;
  readonly memoryBytes: number;
  /** Whether none is started for now, since this machine is short of memory. */
  readonly isShortOfMemory: boolean;
  readonly kinds: readonly WarmKind[];
}

/** The interpreters that can be taken for one another. */
export interface WarmKind {
  readonly language: WarmLanguage;
  /** The interpreter's file. */
  readonly file: string;
  readonly preload: readonly string[];
  /** Whether each is a fork of one that has loaded everything, or started by itself. */
  readonly isForked: boolean;
  readonly waiting: number;
  readonly memoryBytes: number;
}

/** When a window stays open after its run has ended, until a key is pressed. */
export const windowHolds = ['failure', 'always', 'never'] as const;
export type WindowHold = (typeof windowHolds)[number];

/** The window that a run is to be shown in. */
export interface WindowSpec {
  /** What opens one, best first; the command that is to run in it is appended. */
  readonly commands: readonly (readonly string[])[];
  /** The environment of the terminal emulator. It must not be taken for a process of the run. */
  readonly env: Environment;
  readonly title: string;
  readonly language: Language;
  readonly hold: WindowHold;
  /** There is no window, but a terminal that a page of the console shows, of this size at first. An older build finds no command then. */
  readonly page?: TerminalSize;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Something that was typed into the terminal of a run. */
export interface TypedPiece {
  readonly base64: string;
  /** Who typed it, and the how manieth piece of theirs it is; null where it will not be sent again. */
  readonly order: { readonly sender: string; readonly number: number } | null;
  /** It is an answer to what the script has asked its terminal when it had written so many bytes; null: a person typed it. */
  readonly answers: number | null;
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
  /** All of it, where that is short and text: the log need not be opened for it. */
  readonly text?: string;
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
  /** How many of its processes outlived it; null when that is counted later, or cannot be known. */
  readonly leftRunning: number | null;
  /** It had a window, where all output is one stream; `gone` when it was stopped because that was closed, or killed. */
  readonly window?: 'open' | 'gone';
}

/** How the processes of a run are kept together when it is to be stopped, from the strongest to the weakest. */
export const containments = ['cgroup', 'sweep', 'descent', 'taskkill'] as const;
export type Containment = (typeof containments)[number];

export type StopCause = 'cancelled' | 'shutdown';

export type ToExecutor =
  | { readonly type: 'hello'; readonly protocol: number; readonly secret: string }
  /** What all runs share from now on. It is the larger part of what each has, so it is told once. */
  | { readonly type: 'environment'; readonly env: Environment }
  | { readonly type: 'start'; readonly spec: RunSpec }
  | { readonly type: 'stop'; readonly runId: string; readonly cause: StopCause }
  /** The end of this run is on record. */
  | { readonly type: 'acknowledge'; readonly runId: string }
  /** So are the numbers of processes that these have left running. */
  | { readonly type: 'acknowledge-counts'; readonly runIds: readonly string[] }
  /** Another executor has ended before its time: what it left behind is to be cleared up. */
  | { readonly type: 'inherit' }
  /** Another executor takes the new runs: this one may end when it has no more to tell. */
  | { readonly type: 'retire' }
  /** How much may be spent on interpreters that wait; until this is said, none does. */
  | { readonly type: 'allow-warm'; readonly limits: WarmLimits }
  /** For a run that has a terminal in a page. */
  | ({ readonly type: 'type'; readonly runId: string } & TypedPiece)
  | ({ readonly type: 'resize'; readonly runId: string } & TerminalSize)
  /** Answered with `pong`. For executors that say in their welcome that they do so. */
  | { readonly type: 'ping' }
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
      readonly containment: Containment;
      readonly running: readonly RunningProcess[];
      /** Runs that ended and were not acknowledged yet. */
      readonly ended: readonly RunEnd[];
      /** Counts that were not acknowledged yet. */
      readonly counts: readonly Count[];
      /** Absent: it is of a build that does not know `ping`. */
      readonly answersPing?: true;
    }
  | {
      readonly type: 'started';
      readonly runId: string;
      readonly pid: number;
      readonly startedAtMs: number;
      /** Why it runs without the window that was asked for. */
      readonly windowless?: Text | null;
      /** The size of its terminal, if it has one for a page. */
      readonly terminal?: TerminalSize | null;
      /** The warm interpreters after this run, if it could use one: a reader sees the effect of the run at once. */
      readonly warm?: WarmState;
    }
  /** A run has reached its time limit and is being stopped, which takes a while. */
  | { readonly type: 'timed-out'; readonly runId: string }
  /** `warm` as in `started`. */
  | { readonly type: 'ended'; readonly end: RunEnd; readonly warm?: WarmState }
  | { readonly type: 'counted'; readonly counts: readonly Count[] }
  /** Told when it has changed, a few times a second at most. */
  | { readonly type: 'warm'; readonly state: WarmState }
  /** What executors before this one have left is cleared up. */
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

/** A run that an executor has, with its leading process once that is there. */
export interface RunningProcess {
  readonly runId: string;
  readonly pid: number | null;
  /** Whether it has reached its time limit and is being stopped. */
  readonly isTimedOut: boolean;
  /** The size of its terminal, if it has one for a page. */
  readonly terminal?: TerminalSize | null;
}

/** How many processes a run has left running. */
export interface Count {
  readonly runId: string;
  readonly leftRunning: number;
}

/** Where an executor of a home can be reached; the file holds the secret, so only its user can read it. */
export interface ExecutorAddress {
  readonly pid: number;
  readonly instance: string;
  readonly version: string;
  readonly protocol: number;
  readonly socket: string;
  readonly secret: string;
}

export const executorStates = ['ready', 'silent', 'none'] as const;

/** How the executors of a home are, as its service sees them. */
export interface ExecutorState {
  /** That of the executor that takes runs. */
  readonly state: (typeof executorStates)[number];
  readonly pid: number | null;
  /** All that do not answer, also those that only finish what an earlier service gave them. */
  readonly silentPids: readonly number[];
}

/** The folder in the home where executors have their sockets, pipes, journals and addresses. */
export const executorFolder = 'executor';
export const addressFileEnd = '-address.json';

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
    leftRunning: null,
  };
}
