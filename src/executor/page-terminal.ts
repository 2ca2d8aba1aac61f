import type { TerminalSize, TypedPiece } from '../execution/messages.ts';
import type { Window } from './window.ts';

/** As many senders are remembered as pages of one run may be open at once, and then some. */
const mostSenders = 64;

/**
 * The terminal of a run that pages of the console show. What is typed there may come twice, when the service is killed before it could
 * answer, and must not be typed twice: this process outlives the service, so it keeps count. Every page that shows what a program has asked
 * of its terminal answers that, now or when it is opened later; the first answer is the one that counts.
 */
export class PageTerminal {
  readonly #window: Pick<Window, 'type' | 'resize'>;
  /** The last piece of each sender; who was heard last stands last. */
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
