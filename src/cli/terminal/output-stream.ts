const lineEnd = 0x0a;

/** Writes bytes to stdout or stderr with back-pressure. */
export class OutputStream {
  readonly #stream: NodeJS.WriteStream;
  #isAtLineStart = true;
  #isOpen = true;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    // The write callback reports errors. Without a listener, the event would end the process.
    stream.on('error', () => {});
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  /** Whether the stream still has a reader: a pipe into `head` closes early. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#isOpen || bytes.length === 0) return;
    this.#isAtLineStart = bytes.at(-1) === lineEnd;
    await new Promise<void>((resolve) => {
      this.#stream.write(bytes, (error) => {
        // A full disk is reported at the end. Until then the run is still followed and can be cancelled.
        if (error) this.#isOpen = false;
        resolve();
      });
    });
  }
}
