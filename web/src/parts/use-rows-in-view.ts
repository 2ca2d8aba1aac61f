import { type RefObject, useEffect, useState } from 'react';

/** So much beyond the edges is there before it is scrolled to. */
const sparePx = 400;

interface Rows {
  readonly from: number;
  readonly until: number;
}

interface LongList {
  readonly list: RefObject<HTMLElement | null>;
  /** What scrolls: the list is a box of its own, or a part of the page. */
  readonly scrolls: 'list' | 'page';
  readonly count: number;
  readonly rowPx: number;
}

/** Which rows of a long list have to be there: those in view. */
export function useRowsInView({ list, scrolls, count, rowPx }: LongList): Rows {
  const [view, setView] = useState({ top: 0, height: 400 });
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const look = () => setView(scrolls === 'list' ? viewOfBox(element) : viewOfPage(element));
    // On a page, what is above the list pushes it down as it grows.
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
  // The list may have become shorter since it was scrolled.
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
