import type { FiringReason } from '../contract/firings.ts';
import type { AppError } from '../shared/errors.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import type { Trigger } from './trigger.ts';

/** A run that a trigger asks for. */
export interface FiringRequest {
  readonly trigger: Trigger;
  /** Repeating a request with the same key, also after a restart, returns the same run; null: nothing repeats it. */
  readonly key: string | null;
  /** Replaces the data of the trigger. */
  readonly data?: Json;
  /** Added to the params of the trigger. */
  readonly params?: JsonObject;
}

export type FiringResult =
  | { readonly kind: 'started'; readonly runId: string; readonly isRepeat: boolean }
  /** The run could not start. `isLasting`: another attempt would fail in the same way. */
  | {
      readonly kind: 'refused';
      readonly reason: FiringReason;
      readonly error: AppError;
      readonly isLasting: boolean;
    };

/** Starts the runs of triggers. */
export interface FiringRuns {
  start(request: FiringRequest): Promise<FiringResult>;
  /** The run that was started with this key, also by an earlier service; null if there is none. */
  find(trigger: Trigger, key: string): string | null;
  /** How a run ended with all its retries. `unknown`: it is not on record any more. */
  endOf(runId: string): 'live' | 'succeeded' | 'failed' | 'unknown';
  /** Whether a run of this trigger, or a retry of it, has not ended. */
  isLive(triggerId: string): boolean;
  /**
   * Called when a run of a trigger, with all its retries, has ended. `runId` is the run that `start` returned. Returns the function
   * that ends the subscription.
   */
  onEnd(listener: (end: { triggerId: string; runId: string; isSuccess: boolean }) => void): () => void;
}
