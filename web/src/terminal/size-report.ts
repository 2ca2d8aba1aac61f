import { isPassing } from './typing-queue.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

interface SizeReportOptions {
  send: (size: TerminalSize) => Promise<unknown>;
  pause: (ms: number) => Promise<void>;
}

const pauseMs = 1000;

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
        await this.#options.pause(pauseMs);
      }
    }
    this.#isSending = false;
  }
}
