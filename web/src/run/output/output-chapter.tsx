import { type CSSProperties, memo, type ReactNode } from 'react';

import { type Say, useSay } from '../../language/language.tsx';
import { bytesText } from '../../parts/format.ts';
import { type Block, groupByStream, type Line, type StreamChoice, shownLines } from './output-lines.ts';
import type { Colour, TextStyle } from './text-style.ts';

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

/** Enough for 16 text colours on 256 backgrounds. Further styles are set inline. */
const mostClasses = 4096;

const classes = new WeakMap<TextStyle, string>();

const names = new Map<string, string>();

let sheet: CSSStyleSheet | null = null;

/** Must match the line height in OutputView. */
const lineHeightPx = 20;

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
const OutputBlock = memo(function OutputBlock({ block, choice, isWrapped, isNear }: OutputBlockProps) {
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

/** Black, white and greys. On a background they are replaced by a readable colour. */
const greys = new Set([0, 7, 8, 15]);

const cubeLevels = [0, 95, 135, 175, 215, 255] as const;

/** CSS for styled text. The first 16 colours come from the theme; the lightness of other colours is adjusted to it. */
export function styleOfText(style: TextStyle): CSSProperties {
  const { ink, ground } = style.isInverse ? { ink: style.ground, ground: style.ink } : style;
  const hasGround = ground !== null || style.isInverse;
  const lines = [style.isUnderlined && 'underline', style.isStruck && 'line-through'].filter(Boolean);
  return {
    ...(hasGround
      ? { backgroundColor: groundOf(ground), color: inkOn(ink, ground) }
      : { color: inkOf(ink, style.isDim) }),
    ...(style.isBold && { fontWeight: 600 }),
    ...(style.isItalic && { fontStyle: 'italic' }),
    ...(lines.length > 0 && { textDecoration: lines.join(' ') }),
  };
}

function inkOf(ink: Colour | null, isDim: boolean): string | undefined {
  if (ink === null) return isDim ? 'var(--muted)' : undefined;
  if (typeof ink === 'number' && ink < 16) return `var(--ansi-${ink})`;
  return `oklch(from ${rgbOf(ink)} var(--ansi-lightness) c h)`;
}

function groundOf(ground: Colour | null): string {
  if (ground === null) return 'var(--ink)';
  return typeof ground === 'number' && ground < 16 ? `var(--ansi-${ground})` : rgbOf(ground);
}

/** The text colour on a background. All theme colours are readable on the surface colour, so the reverse is readable too. */
function inkOn(ink: Colour | null, ground: Colour | null): string {
  const isOurs = ground === null || (typeof ground === 'number' && ground < 16);
  if (ink === null || (typeof ink === 'number' && greys.has(ink)))
    return isOurs ? 'var(--surface)' : isLight(ground) ? 'black' : 'white';
  return typeof ink === 'number' && ink < 16 ? `var(--ansi-${ink})` : rgbOf(ink);
}

function rgbOf(colour: Colour): string {
  return `rgb(${levelsOf(colour).join(' ')})`;
}

function levelsOf(colour: Colour): readonly number[] {
  if (typeof colour !== 'number') return colour;
  if (colour >= 232) return Array<number>(3).fill(8 + (colour - 232) * 10);
  const at = colour - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => cubeLevels[step] ?? 0);
}

function isLight(colour: Colour): boolean {
  const [red = 0, green = 0, blue = 0] = levelsOf(colour);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 128;
}
