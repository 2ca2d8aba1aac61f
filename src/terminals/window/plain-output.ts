const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Goes to the next line and stays in the column, in every terminal, whatever that makes of line feeds. */
const index = Buffer.from('\x1bD');

/**
 * Output as the script wrote it: a terminal turns each line feed into a carriage return and a line feed. This takes that back,
 * piece by piece, so that a log does not depend on whether there was a window.
 *
 * A program that draws has that switched off, and means a line feed as such. A log that is shown in a terminal again must not lose the
 * difference: with `isReplayed` such a line feed is kept as the command that does the same.
 */
export class PlainOutput {
  /** Whether the last piece ended in a carriage return, which is kept back until what follows is known. */
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

  /** What was kept back, when nothing follows. */
  end(): Buffer {
    const rest = this.#isOpen ? Buffer.of(carriageReturn) : Buffer.alloc(0);
    this.#isOpen = false;
    return rest;
  }
}
