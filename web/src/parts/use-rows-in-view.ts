import { type RefObject, useEffect, useState } from 'react';

/** Rows within this distance of the view are rendered too. */
const sparePx = 400;

interface Rows {
  readonly from: number;
  readonly until: number;
}

interface LongList {
  readonly list: RefObject<HTMLElement | null>;
  /** Whether the list itself scrolls, or the page. */
  readonly scrolls: 'list' | 'page';
  readonly count: number;
  readonly rowPx: number;
}

/** The range of rows of a long list to render. */
export function useRowsInView({ list, scrolls, count, rowPx }: LongList): Rows {
  const [view, setView] = useState({ top: 0, height: 400 });
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const look = () => setView(scrolls === 'list' ? viewOfBox(element) : viewOfPage(element));
    // On a page, content above the list can move it.
    const observer = new ResizeObserver(look);
    observer.observe(scrolls === 'list' ? element : document.body);
    const scrolled = scrolls === 'list' ? element : window;
    scrolled.addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      observer.disconnect();
      scrolled.removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [list, scrolls]);
  // The list may have become shorter since the last scroll.
  const top = Math.min(view.top, Math.max(0, count * rowPx - view.height));
  const from = Math.max(0, Math.floor((top - sparePx) / rowPx));
  return { from, until: Math.min(count, Math.ceil((top + view.height + sparePx) / rowPx)) };
}

function viewOfBox({ scrollTop, clientHeight }: HTMLElement) {
  return { top: scrollTop, height: clientHeight };
}

function viewOfPage(element: HTMLElement) {
  return { top: -element.getBoundingClientRect().top, height: innerHeight };
}
