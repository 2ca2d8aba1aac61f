import { HobError, isRefused, isUnreachable, needsToken } from '../api/hob.ts';

/** Maximum size of a piece. The service accepts several times as much. */
const mostCharacters = 16_384;
const firstPauseMs = 200;
const longestPauseMs = 2000;

export interface TypedPiece {
  readonly text: string;
  readonly number: number;
  /** For an answer of the terminal: the output offset of the query. */
  readonly answers?: number;
}

interface TypingQueueOptions {
  send: (piece: TypedPiece) => Promise<unknown>;
  /** Waits before a retry. */
  pause: (ms: number) => Promise<void>;
  /** The service refused a piece. It is retried if the error is temporary. */
  onRefused: (error: unknown) => void;
  /** The run takes no more input. */
  onOver: () => void;
}

/**
 * Sends typed text in order, one piece at a time. Text typed meanwhile is joined to the next piece. An unanswered piece is resent with the
 * same number, so that the service types it only once.
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

  /** Sends an answer of the terminal itself. */
  answer(text: string, answers: number): void {
    this.#add({ text, answers });
  }

  #add(piece: Omit<TypedPiece, 'number'>): void {
    if (this.#isClosed) return;
    this.#waiting.push(piece);
    if (!this.#isSending) void this.#sendAll();
  }

  /** Discards the unsent text. */
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
        // A lost connection is reported elsewhere.
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
  return isRefused(error) && codesOfTheEnd.has(error.code ?? '');
}

/** Whether the service is unreachable or restarting. */
function isAway(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof HobError && error.status === 503);
}

/** Whether a retry may succeed: the service failed, is unreachable, or requires a new sign-in. */
function isPassing(error: unknown): boolean {
  return isAway(error) || needsToken(error) || (error instanceof HobError && Number(error.status) >= 500);
}

/** The first piece of a text. A surrogate pair is not split. */
function beginningOf(text: string): string {
  const isCut = /[\ud800-\udbff]/.test(text.charAt(mostCharacters - 1));
  return text.slice(0, isCut ? mostCharacters - 1 : mostCharacters);
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

interface SizeReportOptions {
  send: (size: TerminalSize) => Promise<unknown>;
  pause: (ms: number) => Promise<void>;
}

const sizePauseMs = 1000;

/** Sends the terminal size to the run, one request at a time. Only the latest size is sent next. */
export class SizeReport {
  readonly #options: SizeReportOptions;
  #wanted: TerminalSize | null = null;
  #isSending = false;
  #isClosed = false;

  constructor(options: SizeReportOptions) {
    this.#options = options;
  }

  report(size: TerminalSize): void {
    this.#wanted = size;
    if (!this.#isSending) void this.#sendAll();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#wanted !== null && !this.#isClosed) {
      const size = this.#wanted;
      this.#wanted = null;
      try {
        await this.#options.send(size);
      } catch (error) {
        // The run has ended, which its event stream reports.
        if (!isPassing(error)) break;
        this.#wanted ??= size;
        await this.#options.pause(sizePauseMs);
      }
    }
    this.#isSending = false;
  }
}
