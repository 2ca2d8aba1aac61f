import type { FolderTrigger, TriggerProblem } from '../trigger.ts';
import type { InboxParts } from './parts.ts';
import { failuresNotice, problemNotice } from './words.ts';

const mostFailures = 3;
/** A disk that is unplugged for a moment is no reason for a notification. */
const patienceMs = 60_000;

type NoticeParts = Pick<InboxParts, 'notify' | 'steadyMs'>;

/** Notifies the user once when a folder trigger does not work, until it works again. */
export class Notices {
  readonly #trigger: FolderTrigger;
  readonly #parts: NoticeParts;
  readonly #folder: LastingProblem;
  readonly #moves: LastingProblem;
  #failures = 0;

  constructor(trigger: FolderTrigger, parts: NoticeParts) {
    this.#trigger = trigger;
    this.#parts = parts;
    this.#folder = new LastingProblem(trigger, parts);
    this.#moves = new LastingProblem(trigger, parts);
  }

  noteEnd(isSuccess: boolean): void {
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    if (this.#failures === mostFailures)
      this.#parts.notify(failuresNotice(this.#trigger.path, mostFailures), this.#trigger);
  }

  /** The state of the folder, at each look. */
  noteProblem(problem: TriggerProblem | null): void {
    this.#folder.note(problem);
  }

  /** A file that cannot be moved, at each attempt; null when no such file is left. */
  noteStuck(problem: TriggerProblem | null): void {
    this.#moves.note(problem);
  }
}

/** Notifies the user of a problem that does not pass. */
class LastingProblem {
  readonly #trigger: FolderTrigger;
  readonly #parts: NoticeParts;
  #sinceMs: number | null = null;
  #isNotified = false;

  constructor(trigger: FolderTrigger, parts: NoticeParts) {
    this.#trigger = trigger;
    this.#parts = parts;
  }

  note(problem: TriggerProblem | null): void {
    if (problem === null) {
      this.#sinceMs = null;
      this.#isNotified = false;
      return;
    }
    const nowMs = this.#parts.steadyMs();
    this.#sinceMs ??= nowMs;
    if (this.#isNotified || nowMs - this.#sinceMs < patienceMs) return;
    this.#isNotified = true;
    this.#parts.notify(problemNotice(problem), this.#trigger);
  }
}
