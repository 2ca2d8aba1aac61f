import { watch } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

import type { Text } from '../../shared/text.ts';
import type { FiringRuns } from '../firing-runs.ts';
import type { FolderTrigger, TriggerDriver, TriggerProblem, TriggerStatus } from '../trigger.ts';
import { FileLooks } from './found-file.ts';
import { Inbox } from './inbox.ts';
import { writerProbe } from './open-writers.ts';
import type { InboxParts } from './parts.ts';
import { mayShareFiles } from './scope.ts';
import { waitAtMost } from './wait-at-most.ts';
import { folderWords, recordsProblem, sharedProblem } from './words.ts';

/** A disk or network that does not respond must not keep Hob from stopping. */
const closeWaitMs = 5000;
/** After an error of Hob's own, such as a disk that cannot be read. */
const errorPauseMs = 5000;

interface FolderDriverOptions extends Pick<InboxParts, 'store' | 'log' | 'keysKeptMs'> {
  runs: Pick<FiringRuns, 'start' | 'find' | 'endOf' | 'onEnd'>;
  notify: (text: Text, trigger: FolderTrigger) => void;
}

interface Opened {
  readonly trigger: FolderTrigger;
  /** Null until the previous one of the same trigger is closed: it reads what that one has stored. */
  inbox: Inbox | null;
  /** Why it could not be opened yet. */
  error: string | null;
}

/** Starts runs for the files that arrive in folders. */
export class FolderDriver implements TriggerDriver<FolderTrigger> {
  readonly #parts: InboxParts;
  readonly #inboxes = new Map<string, Opened>();
  /** Inboxes that are being closed. The next one of the same trigger waits for it. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #unsubscribe: () => void;
  /** By trigger: another one that may take files away from it, or lose files to it. */
  #rivals: ReadonlyMap<string, string> = new Map();
  #isClosed = false;

  constructor(options: FolderDriverOptions) {
    this.#parts = {
      ...options,
      looks: new FileLooks(),
      probe: writerProbe,
      watch,
      steadyMs: () => performance.now(),
      now: () => new Date(),
    };
    this.#unsubscribe = options.runs.onEnd(({ triggerId, runId, isSuccess }) =>
      this.#inboxes.get(triggerId)?.inbox?.noteEnd(runId, isSuccess),
    );
  }

  update(triggers: readonly FolderTrigger[]): void {
    if (this.#isClosed) return;
    const wanted = new Map(triggers.map((trigger) => [trigger.id, trigger]));
    this.#rivals = rivalsAmong(triggers);
    for (const [id, opened] of this.#inboxes)
      if (!isDeepStrictEqual(opened.trigger, wanted.get(id))) this.#close(id, opened);
    for (const trigger of triggers) if (!this.#inboxes.has(trigger.id)) this.#open(trigger);
  }

  status(trigger: FolderTrigger): TriggerStatus {
    const opened = this.#inboxes.get(trigger.id);
    const isActive = opened !== undefined && isDeepStrictEqual(opened.trigger, trigger);
    return {
      next: [],
      words: folderWords(trigger),
      address: null,
      problem: isActive ? (problemOf(opened) ?? this.#sharedProblemOf(trigger)) : null,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const [id, opened] of this.#inboxes) this.#close(id, opened);
    await waitAtMost(closeWaitMs, Promise.all(this.#closing.values()));
  }

  #sharedProblemOf({ id }: FolderTrigger): TriggerProblem | null {
    const rival = this.#rivals.get(id);
    return rival === undefined ? null : sharedProblem(rival);
  }

  #open(trigger: FolderTrigger): void {
    const opened: Opened = { trigger, inbox: null, error: null };
    this.#inboxes.set(trigger.id, opened);
    const before = this.#closing.get(trigger.id);
    if (before === undefined) this.#openInbox(opened);
    else void before.then(() => this.#openInbox(opened));
  }

  /** Tries again until the records can be read. */
  #openInbox(opened: Opened): void {
    const { trigger } = opened;
    if (this.#inboxes.get(trigger.id) !== opened) return;
    try {
      opened.inbox = new Inbox(trigger, this.#parts);
      opened.inbox.open();
      opened.error = null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== opened.error)
        this.#parts.log.error({ err: error, trigger: trigger.id }, 'cannot open a folder trigger yet');
      opened.error = message;
      setTimeout(() => this.#openInbox(opened), errorPauseMs).unref();
    }
  }

  #close(id: string, { inbox }: Opened): void {
    this.#inboxes.delete(id);
    const closed = Promise.all([this.#closing.get(id), inbox?.close()]).then(() => {
      if (this.#closing.get(id) === closed) this.#closing.delete(id);
    });
    this.#closing.set(id, closed);
  }
}

function problemOf({ inbox, error }: Opened): TriggerProblem | null {
  if (inbox !== null) return inbox.problem;
  return error === null ? null : recordsProblem(error);
}

function rivalsAmong(triggers: readonly FolderTrigger[]): ReadonlyMap<string, string> {
  const rivals = new Map<string, string>();
  const movers = triggers.filter(({ after }) => after === 'move');
  for (const mover of movers)
    for (const other of triggers) {
      if (other.id === mover.id || !mayShareFiles(mover, other)) continue;
      if (!rivals.has(mover.id)) rivals.set(mover.id, other.id);
      if (!rivals.has(other.id)) rivals.set(other.id, mover.id);
    }
  return rivals;
}
