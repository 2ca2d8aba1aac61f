import { closeSync, readSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';

import type { TerminalSize } from '../../execution/messages.ts';
import { errnoOf } from '../../shared/errors.ts';

/** What one look into the terminal takes at most: much more than its buffer holds. */
const largestDrainBytes = 1024 * 1024;
/** How much typed input may wait for a script that does not read it. The rest is dropped, as the kernel does with its own buffer. */
const mostTypedBytes = 4 * 1024 * 1024;
/** The pause before the next write to a terminal that is full: Node has no event for the moment at which it takes more. */
const fullRetryMs = 20;

/**
 * A terminal for a script: what it writes comes out here, and what is written here it reads as if it were typed. The package
 * can do this by itself, but would also read the script's end, and so eat what was typed for the script.
 */
export class PseudoTerminal {
  /** The file by which the script opens it. */
  readonly name: string;
  readonly master: number;
  readonly #stream: ReadStream;
  readonly #resize: (size: TerminalSize) => void;
  /** Ours, and held until the end: without a holder the terminal would be over before the script has opened it. */
  #slave: number | null;
  #take: (bytes: Buffer) => boolean = () => true;
  /** Input that the terminal has not taken yet. */
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
      // Returning false pauses: whoever writes faster than we can pass it on feels it.
      callback: (length: number, buffer: Uint8Array) => this.#take(Buffer.from(buffer.subarray(0, length))),
    };
    // The constructor takes `onread` as `connect` does, though its type does not say so.
    const options = { readable: true, onread };
    this.#stream = new ReadStream(master, options);
    // The end of a terminal is an error (EIO), and of no interest: the script's own end is what counts.
    this.#stream.on('error', () => {});
  }

  static async open({ columns, rows }: TerminalSize): Promise<PseudoTerminal> {
    const { requireBinary } = await import('@lydell/node-pty/requireBinary.js');
    const native = requireBinary('pty.node');
    const opened = native.open(columns, rows);
    return new PseudoTerminal(opened, (size) => native.resize(opened.master, size.columns, size.rows));
  }

  /** Hands over what the script writes. Whoever answers false gets more only after `resume`. */
  read(take: (bytes: Buffer) => boolean): void {
    this.#take = take;
    this.#stream.resume();
  }

  resume(): void {
    this.#stream.resume();
  }

  /**
   * Types for the script. The stream must not write: libuv writes to this side of a terminal in a loop until everything is taken, and so
   * would never return while the script does not read.
   */
  type(keys: Buffer): void {
    if (this.#typed.length + keys.length > mostTypedBytes) return;
    this.#typed = Buffer.concat([this.#typed, keys]);
    if (this.#retry === undefined) this.#writeTyped();
  }

  resize(size: TerminalSize): void {
    if (!this.#stream.destroyed) this.#resize(size);
  }

  /** Hands over what is in the terminal at this moment, without waiting for more. */
  drain(): void {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    for (let taken = 0; taken < largestDrainBytes; ) {
      const bytes = this.#readNow(chunk);
      if (typeof bytes !== 'number' || bytes === 0) return;
      this.#take(Buffer.from(chunk.subarray(0, bytes)));
      taken += bytes;
    }
  }

  /** Closes the script's end. Returns whether another process still holds it: one that the script has left running. */
  release(): boolean {
    if (this.#slave !== null) closeSync(this.#slave);
    this.#slave = null;
    this.#take = () => true;
    const chunk = Buffer.allocUnsafe(64 * 1024);
    for (let taken = 0; taken < largestDrainBytes; ) {
      const bytes = this.#readNow(chunk);
      if (bytes === 'EAGAIN') return true;
      if (typeof bytes !== 'number' || bytes === 0) return false;
      taken += bytes;
    }
    // More than the terminal can hold: a process still writes.
    return true;
  }

  #writeTyped(): void {
    this.#retry = undefined;
    if (this.#stream.destroyed) return;
    try {
      while (this.#typed.length > 0) this.#typed = this.#typed.subarray(writeSync(this.master, this.#typed));
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') this.#retry = setTimeout(() => this.#writeTyped(), fullRetryMs);
      // The terminal is over, and with it all input.
      else this.#typed = Buffer.alloc(0);
    }
  }

  #readNow(chunk: Buffer): number | string {
    if (this.#stream.destroyed) return 'EIO';
    try {
      return readSync(this.master, chunk);
    } catch (error) {
      return errnoOf(error) ?? 'EIO';
    }
  }
}
