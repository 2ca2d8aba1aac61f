import type { Containment, Origin, Retries } from '../contract/values.ts';
import type { Attachment, RunHooks } from '../execution/executor-client.ts';
import type {
  Count,
  RunEnd,
  RunSpec,
  StopCause,
  TerminalSize,
  TypedPiece,
  WindowHold,
} from '../execution/messages.ts';
import type { Resolution } from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';
import type { Clock } from '../shared/clock.ts';
import type { Feed } from '../shared/feed.ts';
import type { Json, JsonObject, JsonText } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import type { KeyStore, KeyUse } from './keys/key-store.ts';
import type { Ledger } from './ledger.ts';
import type { OutcomeRequest, OutcomeTexts } from './outcome/read-outcome.ts';
import type { Caller } from './run.ts';
import type { RunStore } from './run-store.ts';

/** A validated request for a run. */
export interface RunRequest {
  readonly script: Script;
  readonly origin: Origin;
  /** The trigger that starts the run. */
  readonly triggerId?: string;
  /** The program of the agent that starts the run, such as `claude-code`. */
  readonly client?: string;
  /** Absent: those of the manifest. Null: a failed run is not tried again. */
  readonly retries?: Retries | null;
  readonly caller: Caller;
  readonly depth: number;
  /** Whether the caller waits for the outcome. */
  readonly sync: boolean;
  readonly data: Json;
  readonly params: JsonObject;
  /** The language of the texts that Hob writes when the script writes none. */
  readonly language: Language;
  /** A run that waits for this one without having called it. This run may borrow its slot meanwhile. */
  readonly lender?: string;
  /** The idempotency key with which the caller can find this run again. */
  readonly key?: KeyUse;
}

export interface RunOutcome {
  /** The run that had this outcome: the last attempt of a series. */
  readonly runId: string;
  readonly exitCode: number;
  readonly success: boolean;
  readonly timedOut: boolean;
  /** JSON text of the envelope's `msg`, of both output streams, and of the envelope itself. */
  readonly message: JsonText;
  readonly stdout: JsonText;
  readonly stderr: JsonText;
  readonly result: JsonText;
  /** The whole text of a stream that is short, so that a reader need not open its log. */
  readonly shortOutput?: { readonly stdout: string | undefined; readonly stderr: string | undefined };
}

export interface SubmittedRun {
  readonly runId: string;
  /** Resolves when the script is about to start. From then on the run has an outcome. */
  readonly started: Promise<void>;
  /** The outcome of the last attempt. Rejects only with a refusal: the run could not start because it lacked something that may be available later. */
  readonly outcome: Promise<RunOutcome>;
}

/** An admitted run whose requirements are being prepared. */
export interface WaitingRun {
  readonly runId: string;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
  /** Called with the reason when the run has to wait, so that its users see that it is not lost. */
  onWait(note: Text): void;
}

/** The part of the executor client that runs use. */
export interface Executor {
  readonly containment: Containment | null;
  readonly counts: Feed<readonly Count[]>;
  /** The process id of the executor if it does not answer. Asynchronous runs are held back until it answers. */
  readonly silentPid: number | null;
  readonly silence: Feed<number | null>;
  run(spec: RunSpec, hooks: RunHooks): Promise<RunEnd>;
  attach(runId: string, executor: string | null, hooks: Pick<RunHooks, 'started' | 'timedOut'>): Attachment;
  canStop(runId: string): boolean;
  stop(runId: string, cause: StopCause): void;
  terminalOf(runId: string): TerminalSize | null;
  type(runId: string, piece: TypedPiece): boolean;
  resize(runId: string, size: TerminalSize): boolean;
  acknowledge(runId: string): void;
  acknowledgeCounts(runIds: readonly string[]): void;
  /** Called when all runs of earlier services are attached. */
  catchUp(): void;
}

/** The commands that open a terminal window on this machine, or the reason why there is none. */
type TerminalSearch =
  | { readonly kind: 'found'; readonly commands: readonly (readonly string[])[] }
  | { readonly kind: 'none'; readonly message: Text };

export interface RunWindowsOptions {
  findTerminals: () => Promise<TerminalSearch>;
  /** The environment of the terminal emulator. */
  environment: Readonly<Record<string, string>>;
  /** The language of the desktop user. */
  language: Language;
  hold: WindowHold;
  /** The initial size of a terminal in a page, until the page reports its own. */
  pageSize: () => TerminalSize;
}

export interface RunServiceOptions {
  store: RunStore;
  ledger: Ledger;
  keys: KeyStore;
  executor: Executor;
  clock: Clock;
  log: Logger;
  /** May take a long time: it prepares everything that the script needs. */
  resolveCommand: (script: Script, waiting: WaitingRun) => Promise<Resolution>;
  /** Never rejects. */
  readOutcome: (request: OutcomeRequest) => Promise<OutcomeTexts>;
  findScript: (id: string) => Script | null;
  /** Rejects if there is no such script, or if it cannot run now. */
  resolveScript: (id: string) => Promise<Script>;
  /** Where the service listens. It is set before the first run starts. */
  address: { readonly url: string };
  runsFolder: string;
  environment: Readonly<Record<string, string>>;
  windows: RunWindowsOptions;
  limits: {
    maxRuns: number;
    maxQueued: number;
    queueWaitMs: number;
    timeoutMs: number | null;
    stopGraceMs: number;
    drainMs: number;
    outputLogBytes: number;
    outputAnswerBytes: number;
    resultBytes: number;
    keepKeysMs: number;
  };
}
