import { type RefObject, useEffect, useState } from 'react';

/** So many rows beyond the edges are there before they are scrolled to. */
const spare = 8;

interface Rows {
  readonly from: number;
  readonly until: number;
}

/** Which rows of a long list have to be there: those in view of the box that scrolls. */
export function useRowsInView(box: RefObject<HTMLElement | null>, count: number, rowPx: number): Rows {
  const [view, setView] = useState({ top: 0, height: 400 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box]);
  // The list may have become shorter since it was scrolled.
  const top = Math.min(view.top, Math.max(0, count * rowPx - view.height));
  const from = Math.max(0, Math.floor(top / rowPx) - spare);
  return { from, until: Math.min(count, Math.ceil((top + view.height) / rowPx) + spare) };
}
