import { ReadStream } from 'node:tty';

import type { TerminalSize } from './pseudo-terminal.ts';

interface ScreenEvents {
  typed(keys: Buffer): void;
  resized(size: TerminalSize): void;
  /** There is room again for what is to be shown. */
  drained(): void;
  /** Somebody has closed the window. */
  closed(): void;
}

const usualSize: TerminalSize = { columns: 80, rows: 24 };

/**
 * The window itself, as the emulator gives it to us. Written to by the stream that is read from: Node's own stdout waits for
 * a terminal that is slow, and we would hear nobody meanwhile.
 */
export class Screen {
  readonly #stream = new ReadStream(0);
  #isOpen = true;

  constructor(events: ScreenEvents) {
    const close = () => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      events.closed();
    };
    for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) process.on(signal, close);
    this.#stream.on('data', (keys: Buffer) => events.typed(keys));
    this.#stream.on('drain', () => events.drained());
    this.#stream.on('error', close);
    this.#stream.on('close', close);
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

  /** Every key reaches the script as it is; what Ctrl-C means is then decided by the terminal of the script. */
  passKeys(): void {
    this.#stream.setRawMode(true);
  }

  /** Whether there is room for more. */
  write(bytes: Buffer | string): boolean {
    return !this.#isOpen || this.#stream.write(bytes);
  }

  entitle(title: string): void {
    // Control characters would be taken for commands to the terminal.
    this.write(`\x1b]0;${title.replace(/\p{Cc}/gu, ' ')}\x07`);
  }

  /** Says something below what the script has shown, in whatever state it has left the terminal. */
  say(line: string, colour: 'green' | 'red'): void {
    // Colours and styles off; the ordinary screen, a visible cursor, no reports of the mouse; nothing in the way below.
    const restore = '\x1b[0m\x1b[?1047l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l';
    this.write(`${restore}\r\n\x1b[J\x1b[${colour === 'green' ? 32 : 31}m${line}\x1b[0m\r\n`);
  }
}
