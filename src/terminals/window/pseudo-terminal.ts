import { closeSync, readSync } from 'node:fs';
import { ReadStream } from 'node:tty';

import type { TerminalSize } from '../../execution/messages.ts';
import { errnoOf } from '../../shared/errors.ts';

/** What one look into the terminal takes at most: much more than its buffer holds. */
const largestDrainBytes = 1024 * 1024;

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
    const options = { readable: true, writable: true, onread };
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

  type(keys: Buffer): void {
    this.#stream.write(keys);
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

  /** Lets go of the script's end. Whether somebody else still holds it: something that the script has left running. */
  release(): boolean {
    if (this.#slave !== null) closeSync(this.#slave);
    this.#slave = null;
    this.#take = () => true;
    for (;;) {
      const bytes = this.#readNow(Buffer.allocUnsafe(64 * 1024));
      if (bytes === 'EAGAIN') return true;
      if (typeof bytes !== 'number' || bytes === 0) return false;
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
