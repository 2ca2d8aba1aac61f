import type { EndCause } from '../execution/messages.ts';

import type { Json, JsonObject } from '../shared/json.ts';
import type { JsonText } from '../shared/json-text.ts';

export {
  containments,
  type EndCause,
  type ExecutorState,
  endCauses,
  executorStates,
  type WarmLimits,
  type WarmState,
  warmLanguages,
} from '../execution/messages.ts';

/** Through which door a run came; `hob` is what Hob does by itself, such as preparing an environment. */
export const origins = ['execute', 'link', 'console', 'cli', 'schedule', 'hob'] as const;
export type Origin = (typeof origins)[number];

export const runStates = ['queued', 'running', 'succeeded', 'failed', 'unknown'] as const;
export type RunState = (typeof runStates)[number];

export type EnvelopeSource = 'own' | 'synthesized';

/** How much of a stream its log has: so much of the beginning and, behind that, so much of the end. */
export interface KeptOutput {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** Everything that is kept of a run. What is not known yet is null. */
export interface RunRecord {
  readonly runId: string;
  readonly scriptId: string;
  readonly scriptName: string;
  readonly scriptVersion: string | null;
  readonly origin: Origin;
  readonly parentRunId: string | null;
  readonly depth: number;
  /** Whether somebody waits for the answer. */
  readonly sync: boolean;
  /** The executor that it was given to. */
  readonly executor: string | null;
  readonly state: RunState;
  readonly endCause: EndCause | null;
  readonly exitCode: number | null;
  /** The envelope. Nobody here looks into it, so it is kept as the text it is. */
  readonly result: JsonText | null;
  /** Its `code`, and the beginning of its `msg`: what lists show and what is searched. */
  readonly code: number | null;
  readonly message: string | null;
  readonly envelope: EnvelopeSource | null;
  readonly data: Json;
  /** Secrets are masked. */
  readonly params: JsonObject;
  readonly queuedAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly stdoutBytes: number | null;
  readonly stderrBytes: number | null;
  /** What the logs have of the streams; null when nobody knows. */
  readonly stdoutKept: KeptOutput | null;
  readonly stderrKept: KeptOutput | null;
  readonly truncated: boolean | null;
  readonly leftRunning: number | null;
}

/** A run as lists and events show it: `data`, `params` and `result` are null where they are too large for that. */
export interface BriefRun extends Omit<RunRecord, 'params'> {
  readonly params: JsonObject | null;
}

export type RunEnding = Pick<
  RunRecord,
  | 'state'
  | 'endCause'
  | 'exitCode'
  | 'result'
  | 'code'
  | 'message'
  | 'envelope'
  | 'startedAt'
  | 'endedAt'
  | 'durationMs'
  | 'stdoutBytes'
  | 'stderrBytes'
  | 'stdoutKept'
  | 'stderrKept'
  | 'truncated'
  | 'leftRunning'
>;
