import { memo } from 'react';

import { lineHeightPx, OutputBlock } from './output-block.tsx';
import type { Block } from './output-lines.ts';
import { type StreamChoice, shownLines } from './shown-lines.ts';

const blocksTogether = 25;

interface OutputChapterProps {
  readonly blocks: readonly Block[];
  readonly choice: StreamChoice;
  readonly isWrapped: boolean;
  readonly near: ReadonlySet<number>;
}

/** A group of consecutive blocks. On each frame the browser checks the visibility of one chapter instead of each of its blocks. */
export const OutputChapter = memo(function OutputChapter({
  blocks,
  choice,
  isWrapped,
  near,
}: OutputChapterProps) {
  const lines = blocks.reduce((sum, block) => sum + shownLines(block, choice).length, 0);
  return (
    <div
      data-chapter
      style={{ containIntrinsicHeight: `auto ${lines * lineHeightPx}px` }}
      className={isWrapped ? '[content-visibility:auto]' : 'w-max min-w-full [content-visibility:auto]'}
    >
      {blocks.map((block) => (
        <OutputBlock
          key={block.key}
          block={block}
          choice={choice}
          isWrapped={isWrapped}
          isNear={near.has(block.key)}
        />
      ))}
    </div>
  );
}, isSame);

export interface Chapter {
  readonly key: number;
  readonly blocks: readonly Block[];
}

/** Groups blocks by key, so that a block stays in its chapter when earlier blocks are dropped. */
export function chaptersOf(blocks: readonly Block[]): Chapter[] {
  const chapters: { key: number; blocks: Block[] }[] = [];
  for (const block of blocks) {
    const key = Math.floor(block.key / blocksTogether);
    const last = chapters.at(-1);
    if (last?.key === key) last.blocks.push(block);
    else chapters.push({ key, blocks: [block] });
  }
  return chapters;
}

/** Closed blocks never change, so comparing the first and the last block is enough. */
function isSame(one: OutputChapterProps, other: OutputChapterProps): boolean {
  return (
    one.choice === other.choice &&
    one.isWrapped === other.isWrapped &&
    one.blocks.length === other.blocks.length &&
    one.blocks[0] === other.blocks[0] &&
    one.blocks.at(-1) === other.blocks.at(-1) &&
    one.blocks.every(({ key }) => one.near.has(key) === other.near.has(key))
  );
}
