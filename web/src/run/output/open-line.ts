import type { TextStyle } from './text-style.ts';

/** A piece of a line that looks the same from end to end. */
export interface StyledText {
  readonly text: string;
  readonly style: TextStyle | null;
}

interface Cell {
  character: string;
  style: TextStyle | null;
}

/**
 * The line that is being written. Almost all text is put behind what is there; only where something goes back, as progress bars do, the
 * line is taken apart into its characters.
 */
export class OpenLine {
  #pieces: StyledText[] = [];
  #cells: Cell[] | null = null;
  /** How many characters precede the next one. Counted only once something has gone back. */
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

  /** To the start of the line, where the next text goes over what is there. */
  return(): void {
    this.moveTo(0);
  }

  move(by: number): void {
    if (this.#cells === null) this.#takeApart();
    this.moveTo(this.#column + by);
  }

  moveTo(column: number): void {
    if (this.#cells === null) {
      // An empty line, or the end of one that Windows ends with both: nothing is to be written over.
      if (this.length === 0 && column <= 0) return;
      this.#takeApart();
    }
    this.#column = Math.max(0, Math.min(column, widest));
  }

  /** As the terminal has it: 0 what follows, 1 what precedes, 2 all of it. */
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

/** No terminal is wider; a script that asks for more must not make the page hold it. */
const widest = 1000;
