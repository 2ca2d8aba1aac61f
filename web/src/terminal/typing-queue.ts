import { RefusedError, UnreachableError } from '../api/call-service.ts';

/** What is sent at once; the service takes a few times as much. */
const mostCharacters = 16_384;
const firstPauseMs = 200;
const longestPauseMs = 2000;

export interface TypedPiece {
  readonly text: string;
  readonly number: number;
  /** For what a program has asked its terminal: how much it had written by then. */
  readonly answers?: number;
}

interface TypingQueueOptions {
  send: (piece: TypedPiece) => Promise<unknown>;
  /** Waits before something is tried again. */
  pause: (ms: number) => Promise<void>;
  /** Something was not taken; it is tried again where that can help. */
  onRefused: (error: unknown) => void;
  /** Nothing more is taken there. */
  onOver: () => void;
}

/**
 * Sends what is typed in its order: one piece at a time, and with the next all that was typed meanwhile. A piece without an answer is sent
 * again under its number, by which it is typed once, whether it had arrived or not.
 */
export class TypingQueue {
  readonly #options: TypingQueueOptions;
  readonly #waiting: Omit<TypedPiece, 'number'>[] = [];
  #sent = 0;
  #isSending = false;
  #isClosed = false;

  constructor(options: TypingQueueOptions) {
    this.#options = options;
  }

  type(text: string): void {
    const last = this.#waiting.at(-1);
    if (last === undefined || last.answers !== undefined) this.#add({ text });
    else this.#waiting.splice(-1, 1, { text: last.text + text });
  }

  /** Types what the terminal itself answers. */
  answer(text: string, answers: number): void {
    this.#add({ text, answers });
  }

  #add(piece: Omit<TypedPiece, 'number'>): void {
    if (this.#isClosed) return;
    this.#waiting.push(piece);
    if (!this.#isSending) void this.#sendAll();
  }

  /** What was not sent yet stays unsent. */
  close(): void {
    this.#isClosed = true;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (
      let next = this.#waiting.shift();
      next !== undefined && !this.#isClosed;
      next = this.#waiting.shift()
    ) {
      const text = beginningOf(next.text);
      if (text.length < next.text.length)
        this.#waiting.unshift({ ...next, text: next.text.slice(text.length) });
      this.#sent += 1;
      await this.#deliver({ ...next, text, number: this.#sent });
    }
    this.#isSending = false;
  }

  async #deliver(piece: TypedPiece): Promise<void> {
    let isTold = false;
    for (let pauseMs = firstPauseMs; !this.#isClosed; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        await this.#options.send(piece);
        return;
      } catch (error) {
        if (isOver(error)) {
          this.close();
          this.#options.onOver();
          return;
        }
        // That the service is away is said elsewhere.
        if (!isTold && !isAway(error)) {
          isTold = true;
          this.#options.onRefused(error);
        }
        if (!isPassing(error)) return;
        await this.#options.pause(pauseMs);
      }
    }
  }
}

const codesOfTheEnd: ReadonlySet<string> = new Set(['run-ended', 'run-without-terminal', 'run-unknown']);

function isOver(error: unknown): boolean {
  return error instanceof RefusedError && codesOfTheEnd.has(error.code);
}

/** Whether the service is away, or is just being started anew. */
function isAway(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof RefusedError && error.status === 503);
}

/** Whether it may go well when it is tried again: the service has failed, or is away, or wants to know first who asks. */
export function isPassing(error: unknown): boolean {
  return isAway(error) || (error instanceof RefusedError && (error.status >= 500 || error.needsToken));
}

/** As much as is sent at once. A character of two halves is not cut: each half alone would be none. */
function beginningOf(text: string): string {
  const isCut = /[\ud800-\udbff]/.test(text.charAt(mostCharacters - 1));
  return text.slice(0, isCut ? mostCharacters - 1 : mostCharacters);
}
