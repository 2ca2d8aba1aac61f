import type { IFunctionIdentifier, Terminal } from '@xterm/xterm';

import { splitQueries } from './split-queries.ts';

const controlQueries: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
];
/** A colour of the palette, the foreground, the background, the cursor. */
const colourQueries = [4, 10, 11, 12];

/**
 * Tells what the terminal answers to a program from what a person types: both come by the same way, and of the answers only the first of all
 * pages counts. So each is known by how much the program had written when it asked.
 */
export class QueryWatch {
  readonly #terminal: Terminal;
  #endBytes = 0;
  #isAsked = false;
  #isClosed = false;
  #noteDrawn = (): void => {};

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    const { parser } = terminal;
    // These come before the handlers that answer, and leave that to them.
    const note = () => {
      this.#isAsked = true;
      return false;
    };
    for (const id of controlQueries) parser.registerCsiHandler(id, note);
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, note);
    for (const id of colourQueries) parser.registerOscHandler(id, note);
  }

  /** Shows what the script has written from this offset on. Resolves when it is drawn. */
  async write(text: string, offset: number): Promise<void> {
    for (const part of splitQueries(text, offset)) {
      if (this.#isClosed) return;
      this.#endBytes = part.endBytes;
      await new Promise<void>((resolve) => {
        this.#noteDrawn = resolve;
        this.#terminal.write(part.text, () => {
          // In the same turn as what was written: nobody can have typed in between.
          this.#isAsked = false;
          resolve();
        });
      });
    }
  }

  /** If what comes from the terminal now is an answer: how much the script had written. Null: somebody typed it. */
  takeAnswer(): number | null {
    return this.#isAsked ? this.#endBytes : null;
  }

  /** Nothing is drawn any more, and nobody waits for it. */
  close(): void {
    this.#isClosed = true;
    this.#noteDrawn();
  }
}
