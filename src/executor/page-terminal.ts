import type { TerminalSize, TypedPiece } from '../execution/messages.ts';
import type { Window } from './window.ts';

/** The number of remembered senders: more than the pages that one run has open at once. */
const mostSenders = 64;

/**
 * The terminal of a run that is shown in pages of the console. Typed input may arrive twice if the service is killed
 * before it could answer, and must not be typed twice. This process outlives the service, so it counts the input. Every
 * page that shows a terminal query of a program answers that query, now or when the page is opened later; only the
 * first answer is used.
 */
export class PageTerminal {
  readonly #window: Pick<Window, 'type' | 'resize'>;
  /** The last sequence number of each sender; the most recent sender is last. */
  readonly #typed = new Map<string, number>();
  #answeredBytes = 0;
  #size: TerminalSize;

  constructor(window: Pick<Window, 'type' | 'resize'>, size: TerminalSize) {
    this.#window = window;
    this.#size = size;
  }

  get size(): TerminalSize {
    return this.#size;
  }

  type({ base64, order, answers }: TypedPiece): void {
    if (order !== null && !this.#isNew(order)) return;
    if (answers !== null && answers <= this.#answeredBytes) return;
    this.#answeredBytes = answers ?? this.#answeredBytes;
    this.#window.type(base64);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#size = { columns, rows };
    this.#window.resize(this.#size);
  }

  #isNew({ sender, number }: { sender: string; number: number }): boolean {
    const last = this.#typed.get(sender);
    if (last !== undefined && number <= last) return false;
    this.#typed.delete(sender);
    this.#typed.set(sender, number);
    for (const oldest of this.#typed.keys()) {
      if (this.#typed.size <= mostSenders) break;
      this.#typed.delete(oldest);
    }
    return true;
  }
}
