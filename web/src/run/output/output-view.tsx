import { ArrowDown } from 'lucide-react';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';

import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { chaptersOf, OutputChapter } from './output-chapter.tsx';
import type { Block, StreamChoice } from './output-lines.ts';
import type { Found } from './output-search.ts';
import type { Search } from './use-search.ts';

interface OutputViewProps {
  readonly blocks: readonly Block[];
  readonly choice: StreamChoice;
  readonly isWrapped: boolean;
  readonly search: Search;
  /** Content before the first line. */
  readonly children?: ReactNode;
}

/** A scrollable view of the lines that follows the end. */
export function OutputView({ blocks, choice, isWrapped, search, children }: OutputViewProps) {
  const say = useSay();
  const scroller = useRef<HTMLElement>(null);
  const { isFollowing, follow, leave } = useFollow(scroller, blocks);
  const near = useNear(scroller, blocks, choice, isWrapped, isFollowing);
  const { pattern, current } = search;
  const [blockKey, line] = [current?.blockKey ?? null, current?.line ?? null];

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || blockKey === null || line === null) return;
    leave();
    scrollToLine(element, { blockKey, line });
    // Scroll again, because blocks that came into view have their real height only now.
    const frame = requestAnimationFrame(() => scrollToLine(element, { blockKey, line }));
    return () => cancelAnimationFrame(frame);
  }, [blockKey, line, leave]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these changes the shown text
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let frame: number | null = null;
    const mark = () => {
      frame = null;
      markFound(element, pattern, current);
    };
    const onScroll = () => {
      frame ??= requestAnimationFrame(mark);
    };
    mark();
    if (pattern !== null) element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, [pattern, blockKey, line, blocks, choice, isWrapped, near]);

  return (
    <div className="relative">
      <section
        ref={scroller}
        aria-label={say('Output', '输出')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it while it has the focus
        tabIndex={0}
        className="relative max-h-[62dvh] min-h-20 overflow-auto py-2 font-mono text-[13px] leading-[20px] [overflow-anchor:none] [tab-size:8] focus-visible:-outline-offset-2"
      >
        <div>
          {children}
          {chaptersOf(blocks).map((chapter) => (
            <OutputChapter
              key={chapter.key}
              blocks={chapter.blocks}
              choice={choice}
              isWrapped={isWrapped}
              near={near}
            />
          ))}
        </div>
      </section>
      {!isFollowing && (
        <Button
          size="small"
          className="absolute right-4 bottom-3 animate-[arrive_150ms_ease-out] shadow-lg"
          onClick={follow}
        >
          <ArrowDown size={14} aria-hidden />
          {say('Jump to end', '跳到末尾')}
        </Button>
      )}
    </div>
  );
}

/** Distance that counts as the end, because scroll positions can be fractional. */
const nearPx = 8;

/** Keeps the end of growing content in view until the user scrolls up. Scrolling to the end follows it again. */
function useFollow(
  scroller: RefObject<HTMLElement | null>,
  grown: unknown,
): { isFollowing: boolean; follow: () => void; leave: () => void } {
  const [isFollowing, setFollowing] = useState(true);
  const state = useRef({ isFollowing: true, top: 0 });
  const set = useCallback((value: boolean) => {
    state.current.isFollowing = value;
    setFollowing(value);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever content was added
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || !state.current.isFollowing) return;
    element.scrollTop = element.scrollHeight;
    state.current.top = element.scrollTop;
  }, [grown, isFollowing, scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isUp = scrollTop < state.current.top - 1;
      state.current.top = scrollTop;
      if (scrollHeight - scrollTop - clientHeight <= nearPx) set(true);
      // New content moves the end away, so only scrolling up counts as leaving it.
      else if (isUp) set(false);
    };
    // React before the scroll event, because new content would scroll back to the end first.
    const onWheel = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0 && element.scrollHeight > element.clientHeight) set(false);
    };
    // Estimated heights become real and windows are resized without new content.
    const sizes = new ResizeObserver(() => {
      if (state.current.isFollowing) element.scrollTop = element.scrollHeight;
    });
    for (const each of [element, ...element.children]) sizes.observe(each);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
    };
  }, [scroller, set]);

  const follow = useCallback(() => set(true), [set]);
  const leave = useCallback(() => {
    const element = scroller.current;
    // If everything is in view, there is nothing to leave.
    if (element !== null && element.scrollHeight > element.clientHeight) set(false);
  }, [scroller, set]);
  return { isFollowing, follow, leave };
}

/** About two wheel steps, so that blocks are coloured before they come into view. */
const marginPx = 200;

/** The keys of the blocks near the view, and of those in which a selection begins or ends. Recomputed when a value of `shown` changes. */
function useNear(scroller: RefObject<HTMLElement | null>, ...shown: readonly unknown[]): ReadonlySet<number> {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set());
  const look = useCallback(() => {
    if (scroller.current === null) return;
    const blocks = [...blocksInSight(scroller.current, marginPx), ...selectedBlocks(scroller.current)];
    const now = new Set(blocks.map(({ dataset }) => Number(dataset.block)));
    setNear((before) => (isSame(before, now) ? before : now));
  }, [scroller]);

  useLayoutEffect(look, [look, ...shown]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    // Synchronously, so that no block is painted without its colours.
    const onScroll = () => flushSync(look);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, look]);
  return near;
}

/** Blocks with an end of the selection. They must keep their elements, or the selection is lost. */
function selectedBlocks(scroller: HTMLElement): HTMLElement[] {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed) return [];
  return [selection.anchorNode, selection.focusNode].flatMap((node) => {
    const element = node instanceof Element ? node : node?.parentElement;
    const block = element?.closest<HTMLElement>('[data-block]');
    return block != null && scroller.contains(block) ? [block] : [];
  });
}

function isSame(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((key) => other.has(key));
}

/** The text of an element, with the positions of its text nodes. */
class BlockText {
  readonly text: string;
  readonly #nodes: { readonly node: Text; readonly start: number }[] = [];

  constructor(element: Element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = '';
    while (walker.nextNode() !== null) {
      if (!(walker.currentNode instanceof Text)) continue;
      this.#nodes.push({ node: walker.currentNode, start: text.length });
      text += walker.currentNode.data;
    }
    this.text = text;
  }

  /** The start and end of a line, counted from 0. */
  line(at: number): { start: number; end: number } {
    let start = 0;
    for (let before = 0; before < at; before += 1) start = this.text.indexOf('\n', start) + 1;
    const end = this.text.indexOf('\n', start);
    return { start, end: end < 0 ? this.text.length : end };
  }

  range(start: number, end: number): Range {
    const range = document.createRange();
    const [from, to] = [this.#place(start), this.#place(end)];
    if (from !== null) range.setStart(from.node, from.offset);
    if (to !== null) range.setEnd(to.node, to.offset);
    return range;
  }

  #place(at: number): { node: Text; offset: number } | null {
    // Binary search: coloured text has a node for every colour, and each of them may be looked up.
    let [from, to] = [0, this.#nodes.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if ((this.#nodes[middle]?.start ?? 0) <= at) from = middle + 1;
      else to = middle;
    }
    const found = this.#nodes[from - 1];
    if (found === undefined) return null;
    return { node: found.node, offset: Math.min(at - found.start, found.node.length) };
  }
}

const everywhere = 'found';

const here = 'found-here';

let isStyled = false;

/**
 * Highlights matches in the visible blocks with the CSS Custom Highlight API, without changing the DOM. In browsers without it,
 * `scrollToLine` selects the current line instead.
 */
function markFound(scroller: HTMLElement, pattern: RegExp | null, current: Found | null): void {
  if (!('highlights' in CSS)) return;
  addStyles();
  const [all, looked] = [new Highlight(), new Highlight()];
  const every = new RegExp(pattern ?? /$^/, 'giu');
  for (const block of pattern === null ? [] : blocksInSight(scroller)) {
    const text = new BlockText(block);
    const line = isOf(block, current) ? text.line(current.line) : null;
    for (const match of text.text.matchAll(every)) {
      const [start, end] = [match.index, match.index + match[0].length];
      const isLooked = line !== null && start >= line.start && end <= line.end;
      (isLooked ? looked : all).add(text.range(start, end));
    }
  }
  looked.priority = 1;
  CSS.highlights.set(everywhere, all);
  CSS.highlights.set(here, looked);
}

/** Added by script, because the CSS build warns about `::highlight` selectors. */
function addStyles(): void {
  if (isStyled) return;
  isStyled = true;
  const sheet = new CSSStyleSheet();
  for (const name of [everywhere, here])
    sheet.insertRule(`::highlight(${name}) { background-color: var(--${name}); color: var(--ink) }`);
  document.adoptedStyleSheets.push(sheet);
}

/** Scrolls a line to the middle of the view. */
function scrollToLine(scroller: HTMLElement, { blockKey, line }: Found): void {
  const block = scroller.querySelector(`[data-block="${blockKey}"]`);
  if (block === null) return;
  const text = new BlockText(block);
  const { start, end } = text.line(line);
  const range = text.range(start, end);
  const place = range.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  scroller.scrollTop += place.top - frame.top - frame.height / 2;
  if ('highlights' in CSS) return;
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

function isOf(block: HTMLElement, found: Found | null): found is Found {
  return found !== null && block.dataset.block === String(found.blockKey);
}

/** The blocks that are in view or within a margin of it. */
function blocksInSight(scroller: HTMLElement, marginPx = 0): HTMLElement[] {
  const frame = scroller.getBoundingClientRect();
  const isInSight = (element: HTMLElement) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom >= frame.top - marginPx && top <= frame.bottom + marginPx;
  };
  // Check only the blocks of visible chapters: measuring a block of another chapter would force its layout.
  return [...scroller.querySelectorAll<HTMLElement>('[data-chapter]')]
    .filter(isInSight)
    .flatMap((chapter) => [...chapter.querySelectorAll<HTMLElement>('[data-block]')].filter(isInSight));
}
