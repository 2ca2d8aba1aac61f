import type { Attachment, RunHooks } from '../execution/executor-client.ts';
import type {
  Containment,
  Count,
  RunEnd,
  RunSpec,
  StopCause,
  TerminalSize,
  TypedPiece,
} from '../execution/messages.ts';
import type { Resolution } from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';
import type { Clock } from '../shared/clock.ts';
import type { Feed } from '../shared/feed.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import type { JsonText } from '../shared/json-text.ts';
import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import type { Caller } from './callers/chain.ts';
import { maskSecrets } from './inputs.ts';
import type { KeyStore, KeyUse } from './keys/key-store.ts';
import type { Ledger } from './ledger.ts';
import type { OutcomeRequest, OutcomeTexts } from './outcome/read-outcome.ts';
import type { Origin, RunRecord } from './run-record.ts';
import type { RunStore } from './run-store.ts';
import type { RunWindowsOptions } from './run-windows.ts';

/** A request to run that has passed every check. */
export interface RunRequest {
  readonly script: Script;
  readonly origin: Origin;
  readonly caller: Caller;
  readonly depth: number;
  /** Whether the caller waits for the outcome. */
  readonly sync: boolean;
  readonly data: Json;
  readonly params: JsonObject;
  /** In which language Hob speaks where the script is silent. */
  readonly language: Language;
  /** A run that waits for this one without having called for it, and whose place it may take meanwhile. */
  readonly lender?: string;
  /** By which its caller can come back to it. */
  readonly key?: KeyUse;
}

export interface RunOutcome {
  readonly exitCode: number;
  readonly success: boolean;
  readonly timedOut: boolean;
  /** The literals of the envelope's `msg` and of the output, and the envelope itself. */
  readonly message: JsonText;
  readonly stdout: JsonText;
  readonly stderr: JsonText;
  readonly result: JsonText;
}

export interface SubmittedRun {
  readonly runId: string;
  /** Resolves when the script is about to start: from then on the run has an outcome, whatever it is. */
  readonly started: Promise<void>;
  /** Rejects only with a refusal: the run could not be started for lack of something that may be there later. */
  readonly outcome: Promise<RunOutcome>;
}

/** A run that has its turn, while what it needs is made ready. */
export interface WaitingRun {
  readonly runId: string;
  /** Aborted when the run is not to go on. */
  readonly signal: AbortSignal;
  /** Called when it has to wait, with what for: whoever waits for it need not fear that it is lost. */
  onWait(note: Text): void;
}

/** The executor, as far as runs need one. */
export interface Executor {
  readonly containment: Containment | null;
  readonly counts: Feed<readonly Count[]>;
  /** The process id of the executor if it does not answer; runs that nobody waits for are held back until it does. */
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
  /** Every run that an earlier service left has been attached to. */
  catchUp(): void;
}

export interface RunServiceOptions {
  store: RunStore;
  ledger: Ledger;
  keys: KeyStore;
  executor: Executor;
  clock: Clock;
  log: Logger;
  /** May take long: what a script needs is made ready first. */
  resolveCommand: (script: Script, waiting: WaitingRun) => Promise<Resolution>;
  /** Never rejects. */
  readOutcome: (request: OutcomeRequest) => Promise<OutcomeTexts>;
  findScript: (id: string) => Script | null;
  /** The address that scripts call, with the run's token in it. */
  apiBase: (token: string) => string;
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

/** The record of a run that was just asked for. */
export function newRecord(runId: string, request: RunRequest, now: Date): RunRecord {
  const { script } = request;
  return {
    runId,
    scriptId: script.id,
    scriptName: script.name,
    scriptVersion: script.version,
    origin: request.origin,
    parentRunId: request.caller?.runId ?? null,
    depth: request.depth,
    sync: request.sync,
    executor: null,
    state: 'queued',
    endCause: null,
    exitCode: null,
    result: null,
    code: null,
    message: null,
    envelope: null,
    data: request.data,
    params: maskSecrets(script, request.params),
    queuedAt: now.toISOString(),
    startedAt: null,
    endedAt: null,
    durationMs: null,
    stdoutBytes: null,
    stderrBytes: null,
    stdoutKept: null,
    stderrKept: null,
    truncated: null,
    leftRunning: null,
  };
}
