import type { StyledText } from './open-line.ts';
import { StreamText } from './stream-text.ts';

export type StreamName = 'stdout' | 'stderr';

export interface Line {
  readonly stream: StreamName;
  readonly text: string;
  /** Null: it is plain text. */
  readonly pieces: readonly StyledText[] | null;
  /** So many bytes were not kept, and this line stands in their place. */
  readonly missingBytes: number | null;
}

/** Lines that are shown together. One that is closed never changes again. */
export interface Block {
  readonly key: number;
  readonly lines: readonly Line[];
}

export interface OutputSnapshot {
  readonly closed: readonly Block[];
  readonly open: Block;
  readonly lineCount: number;
  /** How many of the oldest lines are not here any more. */
  readonly droppedLines: number;
}

/** How many lines a page can hold: a browser takes about half a kilobyte for each. */
const limits = { blockLines: 200, lines: 200_000, characters: 40_000_000 };

/**
 * What a run has written, as lines. What both streams have begun and not ended stays at the end, under what came meanwhile: a progress bar on
 * one of them remains in sight while the other goes on.
 */
export class OutputLines {
  readonly #limits: typeof limits;
  readonly #streams = { stdout: new StreamText(), stderr: new StreamText() };
  #closed: Block[] = [];
  #current: Line[] = [];
  #key = 0;
  #closedLines = 0;
  #closedCharacters = 0;
  #droppedLines = 0;

  constructor(given: Partial<typeof limits> = {}) {
    this.#limits = { ...limits, ...given };
  }

  take(stream: StreamName, text: string): void {
    this.#streams[stream].take(text, (pieces) => this.#add(lineOf(stream, pieces)));
  }

  /** So many bytes of a stream are not there. */
  skip(stream: StreamName, missingBytes: number): void {
    const begun = this.#streams[stream].cut();
    if (begun !== null) this.#add(lineOf(stream, begun));
    this.#add({ stream, text: '', pieces: null, missingBytes });
  }

  snapshot(): OutputSnapshot {
    const begun = (['stdout', 'stderr'] as const).flatMap((stream) => {
      const pieces = this.#streams[stream].open;
      return pieces === null ? [] : [lineOf(stream, pieces)];
    });
    const lines = [...this.#current, ...begun];
    return {
      closed: this.#closed,
      open: { key: this.#key, lines },
      lineCount: this.#droppedLines + this.#closedLines + lines.length,
      droppedLines: this.#droppedLines,
    };
  }

  #add(line: Line): void {
    this.#current.push(line);
    if (this.#current.length >= this.#limits.blockLines) this.#close();
  }

  #close(): void {
    const block = { key: this.#key, lines: this.#current };
    this.#key += 1;
    this.#current = [];
    this.#closedLines += block.lines.length;
    this.#closedCharacters += charactersIn(block);
    // A new list each time: whoever holds the one before may compare the two.
    const closed = [...this.#closed, block];
    while (
      closed.length > 1 &&
      (this.#closedLines > this.#limits.lines || this.#closedCharacters > this.#limits.characters)
    ) {
      const oldest = closed.shift();
      if (oldest === undefined) break;
      this.#closedLines -= oldest.lines.length;
      this.#closedCharacters -= charactersIn(oldest);
      this.#droppedLines += oldest.lines.length;
    }
    this.#closed = closed;
  }
}

function charactersIn({ lines }: Block): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function lineOf(stream: StreamName, pieces: readonly StyledText[]): Line {
  const [first] = pieces;
  const isPlain = pieces.every(({ style }) => style === null);
  const text =
    pieces.length === 1 && first !== undefined ? first.text : pieces.map((piece) => piece.text).join('');
  return { stream, text, pieces: isPlain ? null : pieces, missingBytes: null };
}
