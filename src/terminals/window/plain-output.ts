const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** IND: moves down one line in the same column, in every line feed mode of the terminal. */
const index = Buffer.from('\x1bD');

/**
 * Restores the output as the script wrote it. A terminal turns each line feed into a carriage return and a line feed; this undoes that,
 * so that a log does not depend on whether there was a window.
 *
 * A full-screen program switches that conversion off and means a bare line feed. A log that is replayed in a terminal must keep the
 * difference: with `isReplayed`, a bare line feed becomes the equivalent IND command.
 */
export class PlainOutput {
  /** Whether the last chunk ended with a carriage return, which is held back until the next byte is known. */
  #isOpen = false;
  readonly #isReplayed: boolean;

  constructor({ isReplayed = false } = {}) {
    this.#isReplayed = isReplayed;
  }

  take(bytes: Buffer): Buffer {
    const plain = Buffer.allocUnsafe(bytes.length * (this.#isReplayed ? index.length : 1) + 1);
    let length = 0;
    for (const byte of bytes) {
      if (this.#isReplayed && byte === lineFeed && !this.#isOpen) {
        length += index.copy(plain, length);
        continue;
      }
      if (this.#isOpen && byte !== lineFeed) plain[length++] = carriageReturn;
      this.#isOpen = byte === carriageReturn;
      if (!this.#isOpen) plain[length++] = byte;
    }
    return plain.subarray(0, length);
  }

  /** Returns the byte held back at the end of the output. */
  end(): Buffer {
    const rest = this.#isOpen ? Buffer.of(carriageReturn) : Buffer.alloc(0);
    this.#isOpen = false;
    return rest;
  }
}
