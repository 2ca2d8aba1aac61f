import { type Block, type StreamChoice, shownLines } from './output-lines.ts';

/** A matching line: its block, and its index among the shown lines of the block. */
export interface Found {
  readonly blockKey: number;
  readonly line: number;
}

/** A pattern that ignores case; null for an empty query. It is shared, so it has no `g` flag and no state. */
export function soughtPattern(query: string): RegExp | null {
  return query === '' ? null : new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'iu');
}

/** Finds lines block by block. Searched blocks are cached. */
export class OutputSearch {
  readonly #pattern: RegExp;
  readonly #choice: StreamChoice;
  /** Weak, so that dropped blocks are released. */
  readonly #found = new WeakMap<Block, readonly number[]>();

  constructor(pattern: RegExp, choice: StreamChoice) {
    this.#pattern = pattern;
    this.#choice = choice;
  }

  /** Searches blocks until the time is over. Returns whether all blocks are searched. */
  look(blocks: readonly Block[], isTimeOver: () => boolean): boolean {
    for (const block of blocks) {
      if (this.#found.has(block)) continue;
      if (isTimeOver()) return false;
      this.#found.set(block, this.#linesWithIt(block));
    }
    return true;
  }

  /** The number of matching lines found so far. */
  count(blocks: readonly Block[]): number {
    return blocks.reduce((sum, block) => sum + this.#linesOf(block).length, 0);
  }

  /** The match at an index, counted from 0 in display order. */
  at(blocks: readonly Block[], index: number): Found | null {
    let rest = index;
    for (const block of blocks) {
      const lines = this.#linesOf(block);
      const line = lines[rest];
      if (line !== undefined) return { blockKey: block.key, line };
      rest -= lines.length;
    }
    return null;
  }

  /** The index of a match; -1 if its block was dropped. */
  indexOf(blocks: readonly Block[], { blockKey, line }: Found): number {
    let before = 0;
    for (const block of blocks) {
      const lines = this.#linesOf(block);
      if (block.key === blockKey) {
        const at = lines.indexOf(line);
        return at < 0 ? -1 : before + at;
      }
      before += lines.length;
    }
    return -1;
  }

  #linesOf(block: Block): readonly number[] {
    return this.#found.get(block) ?? [];
  }

  #linesWithIt(block: Block): readonly number[] {
    const lines: number[] = [];
    for (const [at, { text }] of shownLines(block, this.#choice).entries())
      if (this.#pattern.test(text)) lines.push(at);
    return lines;
  }
}
