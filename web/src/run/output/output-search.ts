import type { Block } from './output-lines.ts';
import { type StreamChoice, shownLines } from './shown-lines.ts';

/** A line in which something was found: the block, and the how manieth of its lines that are shown. */
export interface Found {
  readonly blockKey: number;
  readonly line: number;
}

/** What is sought, as an expression that ignores case; null when nothing is. It is shared, and so not one that goes on from its last match. */
export function soughtPattern(query: string): RegExp | null {
  return query === '' ? null : new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'iu');
}

/** Finds lines, block by block: what was looked through once is not looked through again. */
export class OutputSearch {
  readonly #pattern: RegExp;
  readonly #choice: StreamChoice;
  /** By block, so that what the page drops is forgotten. */
  readonly #found = new WeakMap<Block, readonly number[]>();

  constructor(pattern: RegExp, choice: StreamChoice) {
    this.#pattern = pattern;
    this.#choice = choice;
  }

  /** Looks through blocks until the time is over; whether all of them are through. */
  look(blocks: readonly Block[], isTimeOver: () => boolean): boolean {
    for (const block of blocks) {
      if (this.#found.has(block)) continue;
      if (isTimeOver()) return false;
      this.#found.set(block, this.#linesWithIt(block));
    }
    return true;
  }

  /** How many lines were found so far. */
  count(blocks: readonly Block[]): number {
    return blocks.reduce((sum, block) => sum + this.#linesOf(block).length, 0);
  }

  /** One of them, counted from 0 in the order in which they are shown. */
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

  /** The how manieth of them it is; -1 when it is not there any more. */
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
