import { closeSync, readSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';

import type { TerminalSize } from '../../execution/messages.ts';
import { errnoOf } from '../../shared/errors.ts';

/** Maximum bytes of one drain: much more than the buffer of the terminal holds. */
const largestDrainBytes = 1024 * 1024;
/** Maximum typed input to buffer for a script that does not read it. The rest is dropped, as in the kernel's own buffer. */
const mostTypedBytes = 4 * 1024 * 1024;
/** Delay before a write to a full terminal is retried: Node has no event for free space. */
const fullRetryMs = 20;

/**
 * A pseudo-terminal for a script. Reading returns the output of the script; writing simulates typed input. The node-pty classes
 * would also read from the script's side, and so take input away from the script.
 */
export class PseudoTerminal {
  /** The device file that the script opens. */
  readonly name: string;
  readonly master: number;
  readonly #stream: ReadStream;
  readonly #resize: (size: TerminalSize) => void;
  /** Kept open until the end. If no process held it, the terminal would close before the script has opened it. */
  #slave: number | null;
  #take: (bytes: Buffer) => boolean = () => true;
  /** Input that is not yet written to the terminal. */
  #typed = Buffer.alloc(0);
  #retry: NodeJS.Timeout | undefined;

  private constructor(
    { master, slave, pty }: { master: number; slave: number; pty: string },
    resize: (size: TerminalSize) => void,
  ) {
    this.name = pty;
    this.master = master;
    this.#slave = slave;
    this.#resize = resize;
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      // Returning false pauses reading, which slows down a script that writes too fast.
      callback: (length: number, buffer: Uint8Array) => this.#take(Buffer.from(buffer.subarray(0, length))),
    };
    // The constructor accepts `onread`, as `connect` does, although its type does not declare it.
    const options = { readable: true, onread };
    this.#stream = new ReadStream(master, options);
    // A closed terminal reports EIO. It is ignored, because the end of the script is observed elsewhere.
    this.#stream.on('error', () => {});
  }

  static async open({ columns, rows }: TerminalSize): Promise<PseudoTerminal> {
    const { requireBinary } = await import('@lydell/node-pty/requireBinary.js');
    const native = requireBinary('pty.node');
    const opened = native.open(columns, rows);
    return new PseudoTerminal(opened, (size) => native.resize(opened.master, size.columns, size.rows));
  }

  /** Passes the output of the script to `take`. If `take` returns false, reading pauses until `resume`. */
  read(take: (bytes: Buffer) => boolean): void {
    this.#take = take;
    this.#stream.resume();
  }

  resume(): void {
    this.#stream.resume();
  }

  /**
   * Sends typed input to the script. It does not use the stream: libuv writes to a terminal in a blocking loop and would hang while the
   * script does not read.
   */
  type(keys: Buffer): void {
    if (this.#typed.length + keys.length > mostTypedBytes) return;
    this.#typed = Buffer.concat([this.#typed, keys]);
    if (this.#retry === undefined) this.#writeTyped();
  }

  resize(size: TerminalSize): void {
    if (!this.#stream.destroyed) this.#resize(size);
  }

  /** Passes on the output that is in the terminal now, without waiting for more. */
  drain(): void {
    this.#readAll((bytes) => this.#take(Buffer.from(bytes)));
  }

  /** Closes the script's side. Returns whether a process that the script left running still holds it. */
  release(): boolean {
    if (this.#slave !== null) closeSync(this.#slave);
    this.#slave = null;
    this.#take = () => true;
    return this.#readAll(() => {});
  }

  #writeTyped(): void {
    this.#retry = undefined;
    if (this.#stream.destroyed) return;
    try {
      while (this.#typed.length > 0) this.#typed = this.#typed.subarray(writeSync(this.master, this.#typed));
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') this.#retry = setTimeout(() => this.#writeTyped(), fullRetryMs);
      // The terminal is closed. Drop the input.
      else this.#typed = Buffer.alloc(0);
    }
  }

  /** Reads what is in the terminal now. Returns whether more may follow, because a process holds the other side. */
  #readAll(take: (bytes: Buffer) => void): boolean {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    for (let taken = 0; taken < largestDrainBytes; ) {
      if (this.#stream.destroyed) return false;
      try {
        const bytes = readSync(this.master, chunk);
        if (bytes === 0) return false;
        take(chunk.subarray(0, bytes));
        taken += bytes;
      } catch (error) {
        return errnoOf(error) === 'EAGAIN';
      }
    }
    // More than the terminal can hold, so a process is still writing.
    return true;
  }
}
