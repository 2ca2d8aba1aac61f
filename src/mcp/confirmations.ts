import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { AgentAnswer } from '../contract/values.ts';
import type { Clock } from '../shared/clock.ts';
import { Feed } from '../shared/feed.ts';
import type { JsonObject } from '../shared/json.ts';
import { describeArgs, describeClient } from './describe-args.ts';
import type { AgentScript, Offers } from './offers.ts';

/**
 * Whether a call may run. unanswered: the question stays open, and the same call may ask again. changed: the question ended, because
 * its script changed or is no longer offered. too-many: there are so many open questions, of this client or of all, that this one was
 * not asked.
 */
export type Consent = 'allowed' | 'refused' | 'unanswered' | 'changed' | 'too-many';

/** A call that waits for the consent of the user. */
export interface Question {
  readonly id: string;
  readonly scriptId: string;
  readonly scriptName: string;
  readonly toolName: string;
  /** The program of the agent, by the name that it gives itself. */
  readonly client: string;
  /** The arguments, shortened for reading. */
  readonly args: string;
  readonly askedAt: Date;
  readonly expiresAt: Date;
}

interface Call {
  readonly asked: AgentScript;
  readonly client: string;
  readonly args: JsonObject;
}

interface Entry {
  readonly call: Call;
  readonly question: Question;
  /** The calls that wait, the oldest first. */
  readonly waiting: Set<(consent: Consent) => void>;
  /** The answer that no call has received yet. Null: the question is open. */
  answered: 'allowed' | 'refused' | null;
  readonly stopTimer: () => void;
}

interface ConfirmationsOptions {
  offers: Pick<Offers, 'changed' | 'choiceOf' | 'choose' | 'isCurrent'>;
  clock: Clock;
  /** Calls back once after a delay. Returns the function that cancels the call. */
  after: (delayMs: number, callback: () => void) => () => void;
}

export const mostQuestions = 20;
/** One client cannot keep the others from asking. */
export const mostQuestionsOfClient = 5;
const openMs = 10 * 60_000;

/**
 * The questions to the user whether an agent may run a script. They are in memory only: after a restart of the service, the agent
 * calls again and the user is asked again.
 */
export class Confirmations {
  /** Published when a question opens or ends. */
  readonly changed = new Feed<void>();
  /** Publishes each new question. */
  readonly opened = new Feed<Question>();
  readonly #options: ConfirmationsOptions;
  readonly #entries = new Set<Entry>();
  readonly #unsubscribe: () => void;

  constructor(options: ConfirmationsOptions) {
    this.#options = options;
    this.#unsubscribe = options.offers.changed.subscribe(() => this.#endOutdated());
  }

  /** The open questions, the oldest first. */
  get questions(): readonly Question[] {
    const now = this.#options.clock.now();
    return [...this.#entries]
      .filter(({ answered, question }) => answered === null && question.expiresAt > now)
      .map(({ question }) => question);
  }

  /**
   * Asks the user whether a call may run, and waits until the signal is aborted. The same call joins the open question, and receives
   * the answer that the user gave since the last one stopped waiting.
   */
  async ask(call: Call, signal: AbortSignal): Promise<Consent> {
    if (signal.aborted) return 'unanswered';
    this.#endExpired();
    const found = [...this.#entries].find((entry) => isSame(entry.call, call));
    if (found !== undefined && found.answered !== null) {
      this.#end(found);
      return found.answered;
    }
    if (found === undefined && this.#isFullFor(describeClient(call.client))) return 'too-many';
    const { waiting } = found ?? this.#open(call);
    return new Promise((resolve) => {
      const leave = () => answer('unanswered');
      const answer = (consent: Consent) => {
        waiting.delete(answer);
        signal.removeEventListener('abort', leave);
        resolve(consent);
      };
      waiting.add(answer);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Answers an open question. Returns false if it is not open. */
  answer(id: string, answer: AgentAnswer): boolean {
    this.#endExpired();
    const entry = [...this.#entries].find(
      ({ question, answered }) => question.id === id && answered === null,
    );
    if (entry === undefined) return false;
    const { offers } = this.#options;
    const { scriptId } = entry.question;
    // First, because the question stays open if the choice cannot be stored.
    if (answer === 'always') offers.choose({ ...offers.choiceOf(scriptId), isAsked: false });
    const consent = answer === 'refuse' ? 'refused' : 'allowed';
    if (entry.waiting.size === 0) entry.answered = consent;
    else this.#end(entry, consent, answer === 'allow' ? 1 : Number.POSITIVE_INFINITY);
    this.changed.publish();
    return true;
  }

  close(): void {
    this.#unsubscribe();
    for (const entry of this.#entries) this.#end(entry);
  }

  #isFullFor(client: string): boolean {
    const open = this.questions;
    const own = open.filter((question) => question.client === client);
    return open.length >= mostQuestions || own.length >= mostQuestionsOfClient;
  }

  #open(call: Call, waiting: Entry['waiting'] = new Set()): Entry {
    const { clock, after } = this.#options;
    const { script, toolName } = call.asked;
    const askedAt = clock.now();
    const entry: Entry = {
      call,
      question: {
        id: randomUUID(),
        scriptId: script.id,
        scriptName: script.name,
        toolName,
        client: describeClient(call.client),
        args: describeArgs(call.args),
        askedAt,
        expiresAt: new Date(askedAt.getTime() + openMs),
      },
      waiting,
      answered: null,
      stopTimer: after(openMs, () => {
        this.#end(entry);
        this.changed.publish();
      }),
    };
    this.#entries.add(entry);
    this.opened.publish(entry.question);
    this.changed.publish();
    return entry;
  }

  /** Ends a question with an answer for so many of the waiting calls. The user is asked again for the others. */
  #end(entry: Entry, consent: Consent = 'unanswered', most = Number.POSITIVE_INFINITY): void {
    entry.stopTimer();
    this.#entries.delete(entry);
    for (const answer of [...entry.waiting].slice(0, most)) answer(consent);
    if (entry.waiting.size > 0) this.#open(entry.call, entry.waiting);
  }

  /** Timers stand still while the machine sleeps. */
  #endExpired(): void {
    const now = this.#options.clock.now();
    const expired = [...this.#entries].filter(({ question }) => question.expiresAt <= now);
    for (const entry of expired) this.#end(entry);
    if (expired.length > 0) this.changed.publish();
  }

  /** Ends the questions whose scripts changed or are no longer offered. A user who withholds a script refuses its calls. */
  #endOutdated(): void {
    const { offers } = this.#options;
    const outdated = [...this.#entries].filter(({ call }) => !offers.isCurrent(call.asked));
    for (const entry of outdated) {
      const isWithheld = offers.choiceOf(entry.question.scriptId).isOffered === false;
      this.#end(entry, isWithheld ? 'refused' : 'changed');
    }
    if (outdated.length > 0) this.changed.publish();
  }
}

function isSame(one: Call, other: Call): boolean {
  return (
    isDeepStrictEqual(one.asked.script, other.asked.script) &&
    one.client === other.client &&
    isDeepStrictEqual(one.args, other.args)
  );
}
