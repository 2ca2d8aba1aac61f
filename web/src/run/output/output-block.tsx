import { memo, type ReactNode } from 'react';

import { useSay } from '../../language/language.tsx';
import { bytesText } from '../../parts/bytes-text.ts';
import type { Block, Line } from './output-lines.ts';
import { groupByStream, type StreamChoice, shownLines } from './shown-lines.ts';
import { styleOfText } from './style-of-text.ts';

/** As the frame of the output has it. */
export const lineHeightPx = 20;

interface OutputBlockProps {
  readonly block: Block;
  readonly choice: StreamChoice;
  readonly isWrapped: boolean;
}

/** Some lines, as few elements: plain text is one text. What is out of sight is not laid out, and only its height is kept. */
export const OutputBlock = memo(function OutputBlock({ block, choice, isWrapped }: OutputBlockProps) {
  const lines = shownLines(block, choice);
  if (lines.length === 0) return null;
  return (
    <pre
      data-block={block.key}
      style={{ containIntrinsicHeight: `auto ${lines.length * lineHeightPx}px` }}
      className={
        isWrapped
          ? 'px-[14px] wrap-anywhere whitespace-pre-wrap [content-visibility:auto]'
          : 'w-max min-w-full px-[14px] whitespace-pre [content-visibility:auto]'
      }
    >
      {groupByStream(lines).map((group, at) => (
        // Blocks only grow at their end, so a place is an identity.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <LineGroup key={at} lines={group} />
      ))}
    </pre>
  );
});

function LineGroup({ lines }: { lines: readonly Line[] }) {
  const say = useSay();
  const parts: ReactNode[] = [];
  let plain = '';
  const add = (part: ReactNode) => {
    if (plain !== '') parts.push(plain);
    plain = '';
    parts.push(part);
  };
  for (const { text, pieces, missingBytes } of lines) {
    if (missingBytes !== null) {
      const size = bytesText(missingBytes);
      add(
        <em key={parts.length} className="text-warn">
          {say(`[… ${size} were not kept by Hob …]`, `[…… Hob 未保留此处的 ${size} ……]`)}
        </em>,
      );
    } else if (pieces === null) plain += text;
    else
      for (const piece of pieces) {
        if (piece.style === null) plain += piece.text;
        else
          add(
            <span key={parts.length} style={styleOfText(piece.style)}>
              {piece.text}
            </span>,
          );
      }
    plain += '\n';
  }
  parts.push(plain);
  if (lines[0]?.stream === 'stdout') return parts;
  return (
    <span data-stream="stderr" className="-ml-[12px] block border-l-[3px] border-bad pl-[9px]">
      {parts}
    </span>
  );
}
