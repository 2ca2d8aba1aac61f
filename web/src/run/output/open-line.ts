import type { TextStyle } from './text-style.ts';

/** A piece of a line in one style. */
export interface StyledText {
  readonly text: string;
  readonly style: TextStyle | null;
}

interface Cell {
  character: string;
  style: TextStyle | null;
}

/**
 * The line that is being written. Almost all text is appended. The line is split into characters only when the cursor moves back, as for
 * progress bars.
 */
export class OpenLine {
  #pieces: StyledText[] = [];
  #cells: Cell[] | null = null;
  /** The column of the cursor. Valid only once the line is split into characters. */
  #column = 0;
  length = 0;

  get isEmpty(): boolean {
    return this.length === 0;
  }

  write(text: string, style: TextStyle | null): void {
    if (this.#cells !== null) {
      this.#overwrite(this.#cells, text, style);
      return;
    }
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.style === style)
      this.#pieces[this.#pieces.length - 1] = { text: last.text + text, style };
    else this.#pieces.push({ text, style });
    this.length += text.length;
  }

  /** Moves the cursor to the start of the line, so that the next text overwrites it. */
  return(): void {
    this.moveTo(0);
  }

  move(by: number): void {
    if (this.#cells === null) this.#takeApart();
    this.moveTo(this.#column + by);
  }

  moveTo(column: number): void {
    if (this.#cells === null) {
      // The cursor of an empty line is already at the start.
      if (this.length === 0 && column <= 0) return;
      this.#takeApart();
    }
    this.#column = Math.max(0, Math.min(column, widest));
  }

  /** Parameter of the terminal sequence: 0 erases to the end, 1 to the start, 2 the whole line. */
  erase(what: number): void {
    if (this.#cells === null) this.#takeApart();
    const cells = this.#cells ?? [];
    if (what === 2) cells.length = 0;
    else if (what === 1) for (const cell of cells.slice(0, this.#column + 1)) cell.character = ' ';
    else cells.length = Math.min(cells.length, this.#column);
    this.length = cells.length;
  }

  pieces(): readonly StyledText[] {
    if (this.#cells === null) return this.#pieces;
    const pieces: { text: string; style: TextStyle | null }[] = [];
    for (const { character, style } of this.#cells) {
      const last = pieces.at(-1);
      if (last !== undefined && last.style === style) last.text += character;
      else pieces.push({ text: character, style });
    }
    return pieces;
  }

  #takeApart(): void {
    const cells: Cell[] = [];
    for (const { text, style } of this.#pieces)
      for (const character of text) cells.push({ character, style });
    this.#cells = cells;
    this.#column = cells.length;
  }

  #overwrite(cells: Cell[], text: string, style: TextStyle | null): void {
    while (cells.length < this.#column) cells.push({ character: ' ', style: null });
    for (const character of text) {
      cells[this.#column] = { character, style };
      this.#column += 1;
    }
    this.length = cells.length;
  }
}

/** Limits the column, so that a script cannot make the page allocate a huge line. */
const widest = 1000;
