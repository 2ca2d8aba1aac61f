import { ReadStream } from 'node:tty';

import type { TerminalSize } from '../../execution/messages.ts';

export interface ScreenEvents {
  typed(keys: Buffer): void;
  resized(size: TerminalSize): void;
  /** There is room again for what is to be shown. */
  drained(): void;
  /** Somebody has closed the window. */
  closed(): void;
}

/** Where the terminal of a script is shown, and typed into. */
export interface Screen {
  readonly isOpen: boolean;
  readonly size: TerminalSize;
  /** Whether a script without a terminal of its own can be started in it all the same. */
  readonly takesScripts: boolean;
  /** From now on keys come to whoever listens. */
  passKeys(): void;
  /** Whether there is room for more. */
  write(bytes: Buffer): boolean;
  entitle(title: string): void;
  /** Says something below what the script has shown, in whatever state it has left the terminal. */
  say(line: string, colour: 'green' | 'red'): void;
}

const usualSize: TerminalSize = { columns: 80, rows: 24 };

/**
 * The window itself, as the emulator gives it to us. Written to by a stream of our own: Node's own stdout waits for a terminal
 * that is slow, and we would hear nobody meanwhile.
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
    // A Ctrl-C is for the script, which shares the terminal with us where it has none of its own.
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
   * Every key reaches us as it is; what Ctrl-C means is then decided by the terminal of the script. Nothing is read before:
   * a script without a terminal of its own reads here, too, and would miss what we take.
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

  entitle(title: string): void {
    // Control characters would be taken for commands to the terminal.
    this.write(`\x1b]0;${title.replace(/\p{Cc}/gu, ' ')}\x07`);
  }

  say(line: string, colour: 'green' | 'red'): void {
    // Colours and styles off; the ordinary screen, a visible cursor, no reports of the mouse; nothing in the way below.
    const restore = '\x1b[0m\x1b[?1047l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l';
    this.write(`${restore}\r\n\x1b[J\x1b[${colour === 'green' ? 32 : 31}m${line}\x1b[0m\r\n`);
  }
}
