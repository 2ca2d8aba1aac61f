const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/**
 * Output as the script wrote it: a terminal turns each line feed into a carriage return and a line feed. This takes that back,
 * piece by piece, so that a log does not depend on whether there was a window.
 */
export class PlainOutput {
  /** Whether the last piece ended in a carriage return, which is kept back until what follows is known. */
  #isOpen = false;

  take(bytes: Buffer): Buffer {
    const plain = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
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
