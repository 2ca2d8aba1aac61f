import type { EndCause } from '../execution/messages.ts';

import type { Json, JsonObject } from '../shared/json.ts';
import type { JsonText } from '../shared/json-text.ts';

export { containments, type EndCause, endCauses } from '../execution/messages.ts';

export const origins = ['execute', 'link', 'console', 'cli', 'schedule'] as const;
export type Origin = (typeof origins)[number];

export const runStates = ['queued', 'running', 'succeeded', 'failed', 'unknown'] as const;
export type RunState = (typeof runStates)[number];

export type EnvelopeSource = 'own' | 'synthesized';

/** How much of a stream its log holds: the beginning, and behind it the end. */
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
  /** What the logs hold; null when that is not known. */
  readonly stdoutKept: KeptOutput | null;
  readonly stderrKept: KeptOutput | null;
  readonly truncated: boolean | null;
  readonly leftRunning: number | null;
}

export type RunEnding = Pick<
  RunRecord,
  | 'state'
  | 'endCause'
  | 'exitCode'
  | 'result'
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
