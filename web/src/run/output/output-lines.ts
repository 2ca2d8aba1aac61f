import type { StyledText } from './open-line.ts';
import { StreamText } from './stream-text.ts';

export type StreamName = 'stdout' | 'stderr';

export interface Line {
  readonly stream: StreamName;
  readonly text: string;
  /** Null for plain text. */
  readonly pieces: readonly StyledText[] | null;
  /** If not null, the line stands for this number of missing bytes. */
  readonly missingBytes: number | null;
}

/** A group of lines that is rendered together. A closed block never changes. */
export interface Block {
  readonly key: number;
  readonly lines: readonly Line[];
}

export interface OutputSnapshot {
  readonly closed: readonly Block[];
  readonly open: Block;
  readonly lineCount: number;
  /** The number of oldest lines that were dropped. */
  readonly droppedLines: number;
}

/**
 * Limits of the page: a browser needs about half a kilobyte for each line, and about thirty bytes for each styled piece of a line. Blocks are
 * small enough to render within a frame.
 */
const limits = {
  blockLines: 200,
  blockPieces: 1000,
  lines: 200_000,
  characters: 40_000_000,
  pieces: 2_000_000,
};
/** Further pieces of a line become plain text. */
const piecesInLine = 1000;

/**
 * The output of a run as lines. The unfinished lines of both streams stay at the end, so that a progress bar on one stream remains visible
 * while the other stream continues.
 */
export class OutputLines {
  readonly #limits: typeof limits;
  readonly #streams = { stdout: new StreamText(), stderr: new StreamText() };
  #closed: Block[] = [];
  #current: Line[] = [];
  #currentPieces = 0;
  #key = 0;
  /** The totals of the closed blocks. */
  readonly #held = { lines: 0, characters: 0, pieces: 0 };
  #droppedLines = 0;

  constructor(given: Partial<typeof limits> = {}) {
    this.#limits = { ...limits, ...given };
  }

  take(stream: StreamName, text: string): void {
    this.#streams[stream].take(text, (pieces) => this.#add(lineOf(stream, pieces)));
  }

  /** Adds a line for missing bytes of a stream. */
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
      lineCount: this.#droppedLines + this.#held.lines + lines.length,
      droppedLines: this.#droppedLines,
    };
  }

  #add(line: Line): void {
    this.#current.push(line);
    this.#currentPieces += line.pieces?.length ?? 0;
    const { blockLines, blockPieces } = this.#limits;
    if (this.#current.length >= blockLines || this.#currentPieces >= blockPieces) this.#close();
  }

  #close(): void {
    const block = { key: this.#key, lines: this.#current };
    this.#key += 1;
    this.#current = [];
    this.#currentPieces = 0;
    this.#count(block, 1);
    // Create a new list each time, because React compares it with the previous one.
    const closed = [...this.#closed, block];
    while (closed.length > 1 && this.#isTooMuch()) {
      const oldest = closed.shift();
      if (oldest === undefined) break;
      this.#count(oldest, -1);
      this.#droppedLines += oldest.lines.length;
    }
    this.#closed = closed;
  }

  #count({ lines }: Block, sign: 1 | -1): void {
    this.#held.lines += sign * lines.length;
    for (const { text, pieces } of lines) {
      this.#held.characters += sign * text.length;
      this.#held.pieces += sign * (pieces?.length ?? 0);
    }
  }

  #isTooMuch(): boolean {
    const { lines, characters, pieces } = this.#held;
    const most = this.#limits;
    return lines > most.lines || characters > most.characters || pieces > most.pieces;
  }
}

function lineOf(stream: StreamName, pieces: readonly StyledText[]): Line {
  const [first] = pieces;
  const isPlain = pieces.every(({ style }) => style === null);
  const text =
    pieces.length === 1 && first !== undefined ? first.text : pieces.map((piece) => piece.text).join('');
  return { stream, text, pieces: isPlain ? null : fewPieces(pieces), missingBytes: null };
}

function fewPieces(pieces: readonly StyledText[]): readonly StyledText[] {
  if (pieces.length <= piecesInLine) return pieces;
  const rest = pieces.slice(piecesInLine - 1).map(({ text }) => text);
  return [...pieces.slice(0, piecesInLine - 1), { text: rest.join(''), style: null }];
}

export type StreamChoice = StreamName | 'all';

/** The lines of a block that belong to the chosen stream. */
export function shownLines({ lines }: Block, choice: StreamChoice): readonly Line[] {
  return choice === 'all' ? lines : lines.filter(({ stream }) => stream === choice);
}

/** Groups consecutive lines of the same stream. */
export function groupByStream(lines: readonly Line[]): (readonly Line[])[] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.[0]?.stream === line.stream) last.push(line);
    else groups.push([line]);
  }
  return groups;
}
