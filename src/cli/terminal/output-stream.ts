const lineEnd = 0x0a;

/** Bytes on their way to stdout or stderr, as fast as they are taken. */
export class OutputStream {
  readonly #stream: NodeJS.WriteStream;
  #isAtLineStart = true;
  #isOpen = true;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    // Told to whoever writes; without somebody who listens, it would end the process.
    stream.on('error', () => {});
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  /** Whether somebody still reads what is written: `head` does not for long. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#isOpen || bytes.length === 0) return;
    this.#isAtLineStart = bytes.at(-1) === lineEnd;
    await new Promise<void>((resolve) => {
      this.#stream.write(bytes, (error) => {
        // A full disk is told at the end. Until then there is a run to be watched, and perhaps to be stopped.
        if (error) this.#isOpen = false;
        resolve();
      });
    });
  }
}
