import type { EndCause, EnvelopeSource, Origin, Retries, RunState } from '../contract/values.ts';
import type { Json, JsonObject, JsonText } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';

export type { ExecutorState, WarmLimits, WarmState } from '../execution/messages.ts';

/** The retries of a run, as its record has them. A changed manifest does not change them. */
export interface RetryPlan extends Retries {
  /** Whether the run folder holds secret params for the next attempt. */
  readonly hasSecrets: boolean;
}

/** How much of a stream its log contains: bytes of the beginning, followed by bytes of the end. */
export interface KeptOutput {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** How a run ended. All fields but the state and the start are null until then. */
export interface RunEnding {
  readonly state: RunState;
  readonly endCause: EndCause | null;
  readonly exitCode: number | null;
  /** The envelope as JSON text. It is stored unparsed because no code here reads its fields. */
  readonly result: JsonText | null;
  /** The `code` of the envelope and the beginning of its `msg`, for lists and for the search. */
  readonly code: number | null;
  readonly message: string | null;
  readonly envelope: EnvelopeSource | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly stdoutBytes: number | null;
  readonly stderrBytes: number | null;
  /** The parts of the streams that the logs contain; null if unknown. */
  readonly stdoutKept: KeptOutput | null;
  readonly stderrKept: KeptOutput | null;
  readonly truncated: boolean | null;
  readonly leftRunning: number | null;
  /** When the next attempt is due. Null from the moment when it is queued, and if there is none. */
  readonly nextAttemptAt: string | null;
}

/** The fields of a run that has not ended. */
export const notEnded = {
  endCause: null,
  exitCode: null,
  result: null,
  code: null,
  message: null,
  envelope: null,
  endedAt: null,
  durationMs: null,
  stdoutBytes: null,
  stderrBytes: null,
  stdoutKept: null,
  stderrKept: null,
  truncated: null,
  leftRunning: null,
  nextAttemptAt: null,
} as const satisfies Partial<RunEnding>;

/** The complete record of a run. Fields that are not known yet are null. */
export interface RunRecord extends RunEnding {
  readonly runId: string;
  readonly scriptId: string;
  readonly scriptName: string;
  readonly scriptVersion: string | null;
  readonly origin: Origin;
  /** The trigger that started the run. */
  readonly triggerId: string | null;
  /** The program of the agent that started the run. */
  readonly client: string | null;
  readonly parentRunId: string | null;
  readonly depth: number;
  /** Whether the caller waits for the answer. */
  readonly sync: boolean;
  /** 1, or the number of this attempt in its series. */
  readonly attempt: number;
  /** The first attempt of the series; null in that attempt itself. */
  readonly firstRunId: string | null;
  readonly retries: RetryPlan | null;
  /** The executor that received the run. */
  readonly executor: string | null;
  readonly data: Json;
  /** Secrets are masked. */
  readonly params: JsonObject;
  readonly queuedAt: string;
}

/** A run as lists and events show it: `data`, `params` and `result` are null if they are too large. */
export interface BriefRun extends Omit<RunRecord, 'params'> {
  readonly params: JsonObject | null;
}

export interface RunEvent {
  readonly type: 'queued' | 'started' | 'ended';
  readonly run: BriefRun;
}

/** A series of attempts has ended. A run that is not tried again is a series of one. */
export interface SeriesEnd {
  /** The last attempt. */
  readonly run: BriefRun;
  /** Whether a user ended the series while it waited for its next attempt. */
  readonly wasCancelled: boolean;
}

/** The next attempt cannot start, now or later. */
export class SeriesOver extends Error {
  /** The reason, for the notes of the run. Null if a user ended the series. */
  readonly note: Text | null;

  constructor(note: Text | null) {
    super(note?.en ?? 'the series of attempts was ended');
    this.name = 'SeriesOver';
    this.note = note;
  }
}

/** Whether a run has not ended, or will be tried again. */
export function isOpen({ endedAt, nextAttemptAt }: Pick<BriefRun, 'endedAt' | 'nextAttemptAt'>): boolean {
  return endedAt === null || nextAttemptAt !== null;
}
