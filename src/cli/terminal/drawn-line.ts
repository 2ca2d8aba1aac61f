export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const usualColumns = 80;
/** For the ^C that a terminal writes behind the line, and for the last column: behind it some go on to the next line. */
const leftFree = 3;
const toLineStart = '\r';
const eraseRest = '\u001b[K';

/** A line of a terminal that is drawn over and over. */
export class DrawnLine {
  readonly #screen: Screen;
  #drawn = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  draw(lineFor: (columns: number) => string): void {
    const line = lineFor((this.#screen.columns || usualColumns) - leftFree);
    if (line === this.#drawn) return;
    // Over the old line, and all at once: a line that is erased first flickers.
    this.#screen.write(toLineStart + line + eraseRest);
    this.#drawn = line;
  }

  /** Writes lines above it: it is gone until it is drawn again. */
  writeAbove(text: string): void {
    this.clear();
    this.#screen.write(text);
  }

  clear(): void {
    if (this.#drawn !== '') this.#screen.write(toLineStart + eraseRest);
    this.#drawn = '';
  }
}
