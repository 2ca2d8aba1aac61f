import { blocksInSight } from './blocks-in-sight.ts';
import type { Found } from './output-search.ts';

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
export function markFound(scroller: HTMLElement, pattern: RegExp | null, current: Found | null): void {
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
export function scrollToLine(scroller: HTMLElement, { blockKey, line }: Found): void {
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
