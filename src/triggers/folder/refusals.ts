import type { FiringResult } from '../firing-runs.ts';
import type { FolderTrigger, TriggerProblem } from '../trigger.ts';
import { firingAt } from '../trigger-store.ts';
import type { InboxParts } from './parts.ts';
import { problemNotice } from './words.ts';

type Refusal = Extract<FiringResult, { kind: 'refused' }>;

const shortestPauseMs = 1000;
const longestPauseMs = 60_000;
/** About half a minute without a run. */
const mostRefusals = 6;

/**
 * Refused runs of a trigger. No cause lies in a file, so the files wait until runs can start again: a full queue has room, or the
 * script is repaired.
 */
export class Refusals {
  readonly #options: InboxParts & { trigger: FolderTrigger };
  #count = 0;
  #untilMs = 0;
  #problem: TriggerProblem | null = null;
  #isNotified = false;

  constructor(options: InboxParts & { trigger: FolderTrigger }) {
    this.#options = options;
  }

  /** No run is started before, on the steady clock. */
  get untilMs(): number {
    return this.#untilMs;
  }

  get problem(): TriggerProblem | null {
    return this.#problem;
  }

  /** The result of starting runs: a refusal, or null if all have started. */
  note(refusal: Refusal | null): void {
    if (refusal === null) {
      this.#count = 0;
      this.#problem = null;
      this.#isNotified = false;
      return;
    }
    const { steadyMs, notify, trigger, log } = this.#options;
    const { error, isLasting } = refusal;
    this.#untilMs = steadyMs() + Math.min(shortestPauseMs * 2 ** this.#count, longestPauseMs);
    // The next service continues.
    if (error.code === 'service-stopping') return;
    this.#count++;
    this.#problem = {
      field: null,
      message: error.text,
      advice: error.hint ?? {
        en: 'The files wait in the folder. Hob tries again within a minute.',
        zh: '文件保留在文件夹中，Hob 会在一分钟内重试。',
      },
    };
    if (this.#count === 1) {
      log.warn(
        { trigger: trigger.id, error: error.code },
        'the run for a file was refused; it is tried again',
      );
      this.#record(refusal);
    }
    if (this.#isNotified || !(isLasting || this.#count >= mostRefusals)) return;
    this.#isNotified = true;
    notify(problemNotice(this.#problem), trigger);
  }

  #record({ reason, error }: Refusal): void {
    const { store, trigger, now } = this.#options;
    store.record(firingAt(now(), { triggerId: trigger.id, outcome: 'refused', reason, detail: error.code }));
  }
}
