import { BlockText } from './block-text.ts';
import { blocksInSight } from './blocks-in-sight.ts';
import type { Found } from './output-search.ts';

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
