export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const usualColumns = 80;
/** Room for an echoed ^C, and for the last column, after which some terminals wrap. */
const leftFree = 3;
const toLineStart = '\r';
const eraseRest = '\u001b[K';

/** A terminal line that is redrawn in place. */
export class DrawnLine {
  readonly #screen: Screen;
  #drawn = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  draw(lineFor: (columns: number) => string): void {
    const line = lineFor((this.#screen.columns || usualColumns) - leftFree);
    if (line === this.#drawn) return;
    // Overwrite the old line in a single write: erasing it first would flicker.
    this.#screen.write(toLineStart + line + eraseRest);
    this.#drawn = line;
  }

  /** Writes text above the line. The line disappears until the next draw. */
  writeAbove(text: string): void {
    this.clear();
    this.#screen.write(text);
  }

  clear(): void {
    if (this.#drawn !== '') this.#screen.write(toLineStart + eraseRest);
    this.#drawn = '';
  }
}

/** A progress bar: `[====>     ]`, with `length` columns between the brackets. */
export function bar(fraction: number, length: number): string {
  const done = Math.floor(fraction * length);
  const head = done < length ? '>' : '';
  return `[${'='.repeat(done)}${head}${' '.repeat(length - done - head.length)}]`;
}
