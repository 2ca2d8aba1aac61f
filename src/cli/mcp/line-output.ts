import type { Writable } from 'node:stream';

/** Writes lines to a stream, one after the other. */
export class LineOutput {
  readonly #stream: Writable;
  #ready: Promise<void> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Resolves when the reader has taken enough for another line, or has left. */
  write(line: string): Promise<void> {
    if (this.#stream.write(`${line}\n`)) return this.#ready ?? Promise.resolve();
    this.#ready ??= new Promise<void>((resolve) => {
      const end = () => {
        for (const event of events) this.#stream.off(event, end);
        this.#ready = null;
        resolve();
      };
      for (const event of events) this.#stream.on(event, end);
    });
    return this.#ready;
  }
}

const events = ['drain', 'close', 'error'] as const;
