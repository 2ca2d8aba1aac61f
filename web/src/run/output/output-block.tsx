import { memo, type ReactNode } from 'react';

import { type Say, useSay } from '../../language/language.tsx';
import { bytesText } from '../../parts/bytes-text.ts';
import type { Block, Line } from './output-lines.ts';
import { groupByStream, type StreamChoice, shownLines } from './shown-lines.ts';
import { styleOfText } from './style-of-text.ts';
import type { TextStyle } from './text-style.ts';

/** Enough for 16 text colours on 256 backgrounds. Further styles are set inline. */
const mostClasses = 4096;

const classes = new WeakMap<TextStyle, string>();

const names = new Map<string, string>();

let sheet: CSSStyleSheet | null = null;

/** Must match the line height in OutputView. */
export const lineHeightPx = 20;

interface OutputBlockProps {
  readonly block: Block;
  readonly choice: StreamChoice;
  readonly isWrapped: boolean;
  readonly isNear: boolean;
}

/**
 * A block of lines with few elements. Plain text and blocks far from the view are a single text node, which can be searched and copied.
 * Colours are added when a block comes near the view. Blocks outside the view are not laid out; only their height is kept.
 */
export const OutputBlock = memo(function OutputBlock({ block, choice, isWrapped, isNear }: OutputBlockProps) {
  const say = useSay();
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
      {isNear && !lines.every(isPlain) ? (
        // One element, so that it is removed in one step.
        <span className="block">
          {groupByStream(lines).map((group, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks only grow at their end
            <LineGroup key={at} lines={group} />
          ))}
        </span>
      ) : (
        lines.map((line) => `${textOf(line, say)}\n`).join('')
      )}
    </pre>
  );
});

function isPlain({ stream, pieces, missingBytes }: Line): boolean {
  return stream === 'stdout' && pieces === null && missingBytes === null;
}

function textOf({ text, missingBytes }: Line, say: Say): string {
  if (missingBytes === null) return text;
  const size = bytesText(missingBytes);
  return say(`[… ${size} not kept by Hob …]`, `[…… Hob 未保留此处的 ${size} ……]`);
}

function LineGroup({ lines }: { lines: readonly Line[] }) {
  const say = useSay();
  const parts: ReactNode[] = [];
  let plain = '';
  const add = (part: ReactNode) => {
    if (plain !== '') parts.push(plain);
    plain = '';
    parts.push(part);
  };
  for (const line of lines) {
    const { text, pieces, missingBytes } = line;
    if (missingBytes !== null)
      add(
        <em key={parts.length} className="text-warn">
          {textOf(line, say)}
        </em>,
      );
    else if (pieces === null) plain += text;
    else
      for (const piece of pieces) {
        if (piece.style === null) plain += piece.text;
        else add(pieceOf(piece.text, piece.style, parts.length));
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

/** Not a component, because there are thousands of pieces. */
function pieceOf(text: string, style: TextStyle, key: number): ReactNode {
  const className = classOfText(style);
  return (
    <span key={key} {...(className === null ? { style: styleOfText(style) } : { className })}>
      {text}
    </span>
  );
}

/**
 * The CSS class of a style, created on first use; null if there are too many. Inline styles are many times slower for the browser than
 * classes.
 */
function classOfText(style: TextStyle): string | null {
  const known = classes.get(style);
  if (known !== undefined) return known;
  const name = nameFor(declarationsOf(style));
  if (name !== null) classes.set(style, name);
  return name;
}

function nameFor(declarations: string): string | null {
  const known = names.get(declarations);
  if (known !== undefined) return known;
  if (names.size >= mostClasses) return null;
  const name = `look-${names.size}`;
  names.set(declarations, name);
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
  }
  sheet.insertRule(`.${name} { ${declarations} }`);
  return name;
}

function declarationsOf(style: TextStyle): string {
  return Object.entries(styleOfText(style))
    .map(([property, value]) => `${property.replace(/[A-Z]/g, '-$&').toLowerCase()}: ${value}`)
    .join('; ');
}
