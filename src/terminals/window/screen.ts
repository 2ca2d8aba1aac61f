import { ReadStream } from 'node:tty';

import type { TerminalSize } from '../../execution/messages.ts';

export interface ScreenEvents {
  typed(keys: Buffer): void;
  resized(size: TerminalSize): void;
  /** The screen accepts output again. */
  drained(): void;
  closed(): void;
}

/** Displays the terminal of a script and reads the keyboard. */
export interface Screen {
  readonly isOpen: boolean;
  readonly size: TerminalSize;
  /** Whether a script can be started directly in it if no pseudo-terminal is available. */
  readonly takesScripts: boolean;
  /** Starts to report typed keys. */
  passKeys(): void;
  /** Returns whether there is room for more. */
  write(bytes: Buffer): boolean;
  setTitle(title: string): void;
  /** Prints a line below the output of the script, after resetting the terminal. */
  say(line: string, colour: 'green' | 'red'): void;
}

const usualSize: TerminalSize = { columns: 80, rows: 24 };

/**
 * The window of the terminal emulator. It uses a separate stream for output: process.stdout blocks on a slow terminal, and the program
 * would receive no messages in the meantime.
 */
export class WindowScreen implements Screen {
  readonly takesScripts = true;
  readonly #keys = new ReadStream(0);
  readonly #picture = new ReadStream(1);
  readonly #typed: (keys: Buffer) => void;
  #isReading = false;
  #isOpen = true;

  constructor(events: ScreenEvents) {
    const close = () => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      events.closed();
    };
    this.#typed = events.typed;
    for (const signal of ['SIGHUP', 'SIGTERM'] as const) process.on(signal, close);
    // Ctrl-C is meant for the script, which shares this terminal if it has no pseudo-terminal.
    process.on('SIGINT', () => {});
    this.#picture.on('drain', () => events.drained());
    for (const stream of [this.#keys, this.#picture]) {
      stream.on('error', close);
      stream.on('close', close);
    }
    process.stdout.on('error', () => {});
    process.stdout.on('resize', () => events.resized(this.size));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get size(): TerminalSize {
    const { columns, rows } = process.stdout;
    return columns > 0 && rows > 0 ? { columns, rows } : usualSize;
  }

  /**
   * In raw mode every key arrives unchanged, and the pseudo-terminal of the script interprets Ctrl-C. Nothing is read before this
   * call: a script without a pseudo-terminal reads from this terminal too, and would lose that input.
   */
  passKeys(): void {
    this.#keys.setRawMode(true);
    if (this.#isReading) return;
    this.#isReading = true;
    this.#keys.on('data', this.#typed);
  }

  write(bytes: Buffer | string): boolean {
    return !this.#isOpen || this.#picture.write(bytes);
  }

  setTitle(title: string): void {
    // The terminal would interpret control characters as commands.
    this.write(`\x1b]0;${title.replace(/\p{Cc}/gu, ' ')}\x07`);
  }

  say(line: string, colour: 'green' | 'red'): void {
    // Reset styles, leave the alternate screen, show the cursor, switch off mouse reports and bracketed paste, and clear below.
    const restore = '\x1b[0m\x1b[?1047l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l';
    this.write(`${restore}\r\n\x1b[J\x1b[${colour === 'green' ? 32 : 31}m${line}\x1b[0m\r\n`);
  }
}
